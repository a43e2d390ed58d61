/** Formats a timestamp in local time, such as `2026-11-20 14:25:03`. Returns any other string unchanged. */
export function localTime(moment: string): string {
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return moment
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}

/** Omits the seconds or, if necessary, the time of day from a local time that is wider than `width`. */
export function shortenTime(text: string, width: number): string {
  if (text.length <= width || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return text
  return text.slice(0, width >= 16 ? 16 : 10)
}
