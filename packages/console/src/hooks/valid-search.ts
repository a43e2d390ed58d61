type RawSearch = Readonly<Record<string, unknown>>

type Parsed<Search> = { [Name in keyof Search]: Search[Name] | undefined }

/**
 * Returns a function for a route's `validateSearch`, which removes all parameters except the values that `parse`
 * returns. Removed parameters are undefined, because the router keeps the raw value of a parameter that is omitted.
 * Also removes empty strings, lists, and objects.
 */
export const validSearch =
  <Search extends object>(parse: (search: RawSearch) => Parsed<Search>) =>
  (search: RawSearch): Search => {
    const removed = Object.keys(search).map((name) => [name, undefined])
    // A non-empty string also has keys.
    const valid = Object.entries(parse(search)).filter(([, value]) => Object.keys(value ?? '').length > 0)
    return Object.fromEntries([...removed, ...valid])
  }

/** Converts numbers and booleans back to strings, because the router parses `name=7` as a number. */
export const stringOf = (value: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined

/** Also accepts a single value, such as `columns=name`. */
export const stringsOf = (value: unknown): string[] => [
  ...new Set([value].flat().flatMap((each) => stringOf(each) || [])),
]
