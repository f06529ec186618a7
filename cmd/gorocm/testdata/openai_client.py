"""Uses a server of gorocm serve by OpenAI's own client: openai_client.py URL EMBEDDING_URL AUDIO_URL WAV VISION_URL PNG HYBRID_URL"""
import base64
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
assert [m.id for m in client.models.list()] == ["tiny"]
assert client.models.retrieve("tiny").owned_by == "gorocm"

messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
whole = client.chat.completions.create(model="tiny", messages=messages, max_completion_tokens=12, temperature=0)
text = whole.choices[0].message.content
assert whole.choices[0].message.role == "assistant" and len(text) > 3, whole
assert whole.choices[0].finish_reason in ("stop", "length") and whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens

parts = list(client.chat.completions.create(model="tiny", messages=messages, max_completion_tokens=12, temperature=0, stream=True, stream_options={"include_usage": True}))
assert "".join(c.choices[0].delta.content or "" for c in parts if c.choices) == text
assert parts[-1].usage == whole.usage and not parts[-1].choices

sampled = [client.chat.completions.create(model="tiny", messages=messages, seed=7, max_tokens=8, n=2, temperature=1.2, stop=["zz"]) for _ in range(2)]
assert [c.message.content for c in sampled[0].choices] == [c.message.content for c in sampled[1].choices] and len(sampled[0].choices) == 2

probs = client.chat.completions.create(model="tiny", messages=messages, max_tokens=4, temperature=0, logprobs=True, top_logprobs=2)
assert len(probs.choices[0].logprobs.content) == 4
for token in probs.choices[0].logprobs.content:
    assert token.logprob <= 0 and token.top_logprobs[0].token == token.token and len(token.top_logprobs) == 2

tool = {"type": "function", "function": {"name": "add", "description": "Adds", "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}}}
with_tools = client.chat.completions.create(model="tiny", messages=messages, tools=[tool], max_tokens=4, temperature=0)
assert with_tools.usage.prompt_tokens > whole.usage.prompt_tokens

done = client.completions.create(model="tiny", prompt=["Once", "Twice"], max_tokens=6, temperature=0, logprobs=1)
assert [c.index for c in done.choices] == [0, 1] and len(done.choices[0].logprobs.tokens) == 6
streamed = "".join(c.choices[0].text for c in client.completions.create(model="tiny", prompt="Once", max_tokens=6, temperature=0, stream=True))
assert streamed == done.choices[0].text

for error, request in [
    (openai.NotFoundError, dict(model="other", messages=messages)),
    (openai.BadRequestError, dict(model="tiny", messages=[{"role": "critic", "content": "x"}])),
    (openai.BadRequestError, dict(model="tiny", messages=messages, max_tokens=100000)),
]:
    try:
        client.chat.completions.create(**request)
    except error as e:
        assert e.body["message"], e
    else:
        raise AssertionError(f"no {error} for {request}")

encoder = openai.OpenAI(base_url=sys.argv[2], api_key="none", max_retries=0)
for options in [{}, {"encoding_format": "float"}]:  # the client asks for base64 without it
    vectors = encoder.embeddings.create(model="bert", input=["the cat", "a dog"], **options)
    assert [d.index for d in vectors.data] == [0, 1] and len(vectors.data[0].embedding) == 16 and vectors.usage.prompt_tokens > 4
    assert abs(sum(x * x for x in vectors.data[0].embedding) - 1) < 1e-5
try:
    client.embeddings.create(model="tiny", input="x")
except openai.BadRequestError as e:
    assert "no embeddings" in e.body["message"], e
else:
    raise AssertionError("a language model has embeddings")

listener = openai.OpenAI(base_url=sys.argv[3], api_key="none", max_retries=0)
with open(sys.argv[4], "rb") as sound:
    text = listener.audio.transcriptions.create(model="whisper", file=sound, language="en").text
with open(sys.argv[4], "rb") as sound:
    full = listener.audio.transcriptions.create(model="whisper", file=sound, language="en", response_format="verbose_json", timestamp_granularities=["segment"])
assert full.text == text and full.language == "en" and abs(float(full.duration) - 3.4) < 1e-6, full
assert all(0 <= s.start <= s.end for s in full.segments)
print("ok")

seer = openai.OpenAI(base_url=sys.argv[5], api_key="none", max_retries=0)
with open(sys.argv[6], "rb") as f:
    url = "data:image/png;base64," + base64.b64encode(f.read()).decode()


def about(url):
    return [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": url}}]}]


whole = seer.chat.completions.create(model="smolvlm", messages=about(url), max_tokens=8, temperature=0)
text = whole.choices[0].message.content
assert text and whole.usage.prompt_tokens > 60, whole  # with the tokens of the image
parts = seer.chat.completions.create(model="smolvlm", messages=about(url), max_tokens=8, temperature=0, stream=True)
assert "".join(c.choices[0].delta.content or "" for c in parts) == text
try:
    seer.chat.completions.create(model="smolvlm", messages=about("https://example.com/cat.png"))
except openai.BadRequestError as e:
    assert "fetches nothing" in e.body["message"], e
else:
    raise AssertionError("an image was fetched")

# Texts of a model whose layers have states, alone and at once.
from concurrent.futures import ThreadPoolExecutor

hybrid = openai.OpenAI(base_url=sys.argv[7], api_key="none", max_retries=0)


def complete(prompt):
    done = hybrid.completions.create(model="hybrid", prompt=prompt, max_tokens=12, temperature=0)
    return done.choices[0].text, done.usage.completion_tokens


prompts = ["abc", "hello", "a", "thegoldfish", "abcd", "qrst"]
alone = [complete(p) for p in prompts]
assert len({text for text, _ in alone}) > 3 and max(n for _, n in alone) == 12, alone
with ThreadPoolExecutor(6) as pool:
    assert list(pool.map(complete, prompts)) == alone
said = hybrid.chat.completions.create(model="hybrid", messages=[{"role": "user", "content": "hello"}], max_tokens=12, temperature=0)
assert said.choices[0].message.content == alone[1][0], said
