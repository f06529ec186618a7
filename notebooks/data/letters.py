"""Draws the letters A to Z in free fonts, for 20-images.ipynb: letters.png, a row of 26 tiles of 24 × 24 pixels for each font, and
letters.csv, which names the fonts, row by row.

    apt install fonts-urw-base35 fonts-dejavu fonts-liberation fonts-noto-mono fonts-lyx && pip install pillow && python3 letters.py

The fonts are free: of URW++ (AGPL with an exception for documents), DejaVu (Bitstream Vera's licence), Liberation and Noto (OFL), and
Computer Modern (LPPL).
"""
import csv
import os
import string

from PIL import Image, ImageDraw, ImageFont

here = os.path.dirname(os.path.abspath(__file__))
urw, dejavu = "/usr/share/fonts/opentype/urw-base35/", "/usr/share/fonts/truetype/dejavu/"
liberation = "/usr/share/fonts/truetype/liberation/"
fonts = {  # by families, of which the notebook keeps some from the training
    "Century Schoolbook": [urw + f"C059-{s}.otf" for s in ("Roman", "Bold", "Italic")],
    "Nimbus Mono": [urw + f"NimbusMonoPS-{s}.otf" for s in ("Regular", "Bold")],
    "Nimbus Roman": [urw + f"NimbusRoman-{s}.otf" for s in ("Regular", "Bold", "Italic")],
    "Nimbus Sans": [urw + f"NimbusSans-{s}.otf" for s in ("Regular", "Bold", "Italic")],
    "Nimbus Sans Narrow": [urw + f"NimbusSansNarrow-{s}.otf" for s in ("Regular", "Bold")],
    "Palladio": [urw + f"P052-{s}.otf" for s in ("Roman", "Bold", "Italic")],
    "Bookman": [urw + f"URWBookman-{s}.otf" for s in ("Light", "Demi", "LightItalic")],
    "Gothic": [urw + f"URWGothic-{s}.otf" for s in ("Book", "Demi", "BookOblique")],
    "Chancery": [urw + "Z003-MediumItalic.otf"],
    "DejaVu Sans": [dejavu + f"DejaVuSans{s}.ttf" for s in ("", "-Bold", "-Oblique", "-ExtraLight")],
    "DejaVu Sans Mono": [dejavu + f"DejaVuSansMono{s}.ttf" for s in ("", "-Bold")],
    "DejaVu Serif": [dejavu + f"DejaVuSerif{s}.ttf" for s in ("", "-Bold", "-Italic")],
    "Liberation Mono": [liberation + f"LiberationMono-{s}.ttf" for s in ("Regular", "Bold")],
    "Liberation Sans": [liberation + f"LiberationSans-{s}.ttf" for s in ("Regular", "Italic")],
    "Liberation Serif": [liberation + f"LiberationSerif-{s}.ttf" for s in ("Regular", "Bold")],
    "Noto Sans Mono": ["/usr/share/fonts/truetype/noto/NotoSansMono-Regular.ttf"],
    "Computer Modern": ["/usr/share/fonts/truetype/lyx/cmr10.ttf", "/usr/share/fonts/truetype/lyx/cmmi10.ttf"],
}
side = 24
rows = [(family, path) for family, paths in fonts.items() for path in paths]
sheet = Image.new("L", (26 * side, len(rows) * side), 255)
for y, (_, path) in enumerate(rows):
    font = ImageFont.truetype(path, 21)
    for x, letter in enumerate(string.ascii_uppercase):
        left, top, right, bottom = font.getbbox(letter)
        tile = Image.new("L", (side, side), 255)
        ImageDraw.Draw(tile).text(((side - left - right) / 2, (side - top - bottom) / 2), letter, 0, font=font)
        sheet.paste(tile, (x * side, y * side))
sheet = sheet.quantize(16)  # shades of grey
sheet.save(os.path.join(here, "letters.png"), optimize=True)
with open(os.path.join(here, "letters.csv"), "w", newline="") as f:
    csv.writer(f, lineterminator="\n").writerows([["family", "font"]] + [[f, os.path.splitext(os.path.basename(p))[0]] for f, p in rows])
