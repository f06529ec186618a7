package widgets

import (
	"encoding/json"
	"fmt"
	"time"
)

// moment is a date, a time of day or both as the front end writes them: months count from 0.
type moment struct {
	Year         *int     `json:"year,omitempty"`
	Month        *int     `json:"month,omitempty"`
	Date         *int     `json:"date,omitempty"`
	Hours        *int     `json:"hours,omitempty"`
	Minutes      *int     `json:"minutes,omitempty"`
	Seconds      *int     `json:"seconds,omitempty"`
	Milliseconds *float64 `json:"milliseconds,omitempty"`
}

// date is a day, zero for none.
type date struct{ time.Time }

func (d date) MarshalJSON() ([]byte, error) {
	if d.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(dayOf(d.Time))
}

func (d *date) UnmarshalJSON(raw []byte) error {
	var m *moment
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		*d = date{}
		return err
	}
	t, err := m.day()
	*d = date{t}
	return err
}

// dateTime is a day and a time, zero for none.
type dateTime struct{ time.Time }

func (d dateTime) MarshalJSON() ([]byte, error) {
	if d.IsZero() {
		return []byte("null"), nil
	}
	m, hour, minute, second := dayOf(d.Time), d.Hour(), d.Minute(), d.Second()
	ms := float64(d.Nanosecond() / 1e6)
	m.Hours, m.Minutes, m.Seconds, m.Milliseconds = &hour, &minute, &second, &ms
	return json.Marshal(m)
}

func (d *dateTime) UnmarshalJSON(raw []byte) error {
	var m *moment
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		*d = dateTime{}
		return err
	}
	t, err := m.day()
	if err != nil {
		return err
	}
	clock, err := m.clock()
	*d = dateTime{t.Add(clock)}
	return err
}

// daytime is the time since midnight, negative for none.
type daytime time.Duration

func (d daytime) MarshalJSON() ([]byte, error) {
	if d < 0 {
		return []byte("null"), nil
	}
	t := time.Time{}.Add(time.Duration(d))
	hour, minute, second, ms := t.Hour(), t.Minute(), t.Second(), float64(t.Nanosecond()/1e6)
	return json.Marshal(moment{Hours: &hour, Minutes: &minute, Seconds: &second, Milliseconds: &ms})
}

func (d *daytime) UnmarshalJSON(raw []byte) error {
	var m *moment
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		*d = -1
		return err
	}
	clock, err := m.clock()
	*d = daytime(clock)
	return err
}

func dayOf(t time.Time) moment {
	year, month, day := t.Year(), int(t.Month())-1, t.Day()
	return moment{Year: &year, Month: &month, Date: &day}
}

// day is the midnight in UTC with which the day of m begins.
func (m *moment) day() (time.Time, error) {
	if m.Year == nil || m.Month == nil || m.Date == nil {
		return time.Time{}, fmt.Errorf("a day needs year, month and date")
	}
	t := time.Date(*m.Year, time.Month(*m.Month+1), *m.Date, 0, 0, 0, 0, time.UTC)
	if t.Year() != *m.Year || int(t.Month()) != *m.Month+1 || t.Day() != *m.Date {
		return time.Time{}, fmt.Errorf("there is no day %d-%02d-%02d", *m.Year, *m.Month+1, *m.Date)
	}
	return t, nil
}

// clock is the time since midnight of m. Seconds and milliseconds may be missing.
func (m *moment) clock() (time.Duration, error) {
	if m.Hours == nil || m.Minutes == nil {
		return 0, fmt.Errorf("a time needs hours and minutes")
	}
	hours, minutes, seconds, ms := *m.Hours, *m.Minutes, 0, 0.0
	if m.Seconds != nil {
		seconds = *m.Seconds
	}
	if m.Milliseconds != nil {
		ms = *m.Milliseconds
	}
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59 || ms < 0 || ms >= 1000 {
		return 0, fmt.Errorf("there is no time %02d:%02d:%02d and %v ms", hours, minutes, seconds, ms)
	}
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute +
		time.Duration(seconds)*time.Second + time.Duration(ms)*time.Millisecond, nil
}

// DatePicker is a choice of a day.
type DatePicker struct{ *Widget }

// NewDatePicker makes a choice of a day, the zero time for none yet.
func NewDatePicker(day time.Time) *DatePicker {
	p := &DatePicker{described("DatePicker", "DescriptionStyle", map[string]any{"value": onlyDay(day), "min": nil,
		"max": nil, "step": 1, "disabled": false})}
	p.m.text = func() string {
		if p.Value().IsZero() {
			return p.describe("no date")
		}
		return p.describe("%s", p.Value().Format(time.DateOnly))
	}
	return p
}

func onlyDay(t time.Time) date {
	if t.IsZero() {
		return date{}
	}
	return date{time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)}
}

// Value is the day, at midnight in UTC; the zero time while none is chosen.
func (p *DatePicker) Value() time.Time { return p.m.get("value").(date).Time }

// SetValue changes the day to that of a time in its own zone.
func (p *DatePicker) SetValue(day time.Time) { p.m.set("value", onlyDay(day)) }

// OnChange registers a function that is called with the day that the user has chosen, as Value returns it.
func (p *DatePicker) OnChange(f func(day time.Time)) {
	p.m.onChange("value", func(v any) { f(v.(date).Time) })
}

// DatetimePicker is a choice of a day and a time without a zone.
type DatetimePicker struct{ *Widget }

// NewDatetimePicker makes a choice of a day and a time, as a clock shows them; the zero time for none yet.
func NewDatetimePicker(at time.Time) *DatetimePicker {
	p := &DatetimePicker{described("NaiveDatetime", "DescriptionStyle", map[string]any{"_view_name": "DatetimeView",
		"value": unzoned(at), "min": nil, "max": nil, "disabled": false})}
	p.m.text = func() string {
		if p.Value().IsZero() {
			return p.describe("no date")
		}
		return p.describe("%s", p.Value().Format(time.DateTime))
	}
	return p
}

func unzoned(t time.Time) dateTime {
	if t.IsZero() {
		return dateTime{}
	}
	ms := t.Nanosecond() / 1e6 * 1e6
	return dateTime{time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), ms, time.UTC)}
}

// Value is the day and the time, as if in UTC; the zero time while none is chosen.
func (p *DatetimePicker) Value() time.Time { return p.m.get("value").(dateTime).Time }

// SetValue changes the day and the time to those of a time in its own zone, to the millisecond.
func (p *DatetimePicker) SetValue(at time.Time) { p.m.set("value", unzoned(at)) }

// OnChange registers a function that is called with what the user has chosen, as Value returns it.
func (p *DatetimePicker) OnChange(f func(at time.Time)) {
	p.m.onChange("value", func(v any) { f(v.(dateTime).Time) })
}

// ZonedDatetimePicker is a choice of a moment: a day and a time in the time zone of the browser.
type ZonedDatetimePicker struct{ *Widget }

// NewZonedDatetimePicker makes a choice of a moment, the zero time for none yet. The browser shows it in its own zone.
func NewZonedDatetimePicker(at time.Time) *ZonedDatetimePicker {
	p := &ZonedDatetimePicker{described("Datetime", "DescriptionStyle", map[string]any{"value": inUTC(at), "min": nil,
		"max": nil, "disabled": false})}
	p.m.text = func() string {
		if p.Value().IsZero() {
			return p.describe("no date")
		}
		return p.describe("%s", p.Value().Format(time.RFC3339))
	}
	return p
}

func inUTC(t time.Time) dateTime {
	if t.IsZero() {
		return dateTime{}
	}
	return unzoned(t.UTC())
}

func local(d dateTime) time.Time {
	if d.IsZero() {
		return time.Time{}
	}
	return d.Local()
}

// Value is the moment, in the local time of the session; the zero time while none is chosen.
func (p *ZonedDatetimePicker) Value() time.Time { return local(p.m.get("value").(dateTime)) }

// SetValue changes the moment, to the millisecond.
func (p *ZonedDatetimePicker) SetValue(at time.Time) { p.m.set("value", inUTC(at)) }

// OnChange registers a function that is called with the moment that the user has chosen, as Value returns it.
func (p *ZonedDatetimePicker) OnChange(f func(at time.Time)) {
	p.m.onChange("value", func(v any) { f(local(v.(dateTime))) })
}

// TimePicker is a choice of a time of day.
type TimePicker struct{ *Widget }

// NewTimePicker makes a choice of a time of day, given since midnight; negative for none yet. It panics for a time that
// is not on one day.
func NewTimePicker(sinceMidnight time.Duration) *TimePicker {
	p := &TimePicker{described("Time", "DescriptionStyle", map[string]any{"value": inDay(sinceMidnight), "min": nil,
		"max": nil, "step": 60.0, "disabled": false})}
	p.m.text = func() string {
		if p.Value() < 0 {
			return p.describe("no time")
		}
		return p.describe("%s", time.Time{}.Add(p.Value()).Format(time.TimeOnly))
	}
	return p
}

func inDay(d time.Duration) daytime {
	if d >= 24*time.Hour {
		panic(fmt.Errorf("widgets: %v since midnight is no time of a day: give less than 24h", d))
	}
	if d < 0 {
		return -1
	}
	return daytime(d.Truncate(time.Millisecond))
}

// Value is the time since midnight; negative while none is chosen.
func (p *TimePicker) Value() time.Duration { return time.Duration(p.m.get("value").(daytime)) }

// SetValue changes the time, given since midnight, to the millisecond. It panics for a time that is not on one day.
func (p *TimePicker) SetValue(sinceMidnight time.Duration) { p.m.set("value", inDay(sinceMidnight)) }

// OnChange registers a function that is called with the time that the user has chosen, as Value returns it.
func (p *TimePicker) OnChange(f func(sinceMidnight time.Duration)) {
	p.m.onChange("value", func(v any) { f(time.Duration(v.(daytime))) })
}
