/** A server setting. docs/reference/settings.md is generated from all settings. */
export interface Setting<Value> {
  name: string
  meaning: string
  default: string
  secret?: boolean
  /** Throws an error that describes the valid values if `text` is invalid. `text` is undefined for an unset setting. */
  parse(text: string | undefined): Value
}

export const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition

/** Defines a setting whose value is undefined if the setting is not set. */
export const optionalSetting = <Value>({
  parse,
  ...definition
}: Omit<Setting<Value>, 'default' | 'parse'> & { parse(text: string): Value }): Setting<Value | undefined> => ({
  ...definition,
  default: 'not set',
  parse: (text) => (text === undefined ? undefined : parse(text)),
})
