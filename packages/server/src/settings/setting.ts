/** A server setting. docs/reference/settings.md is generated from all settings. */
export interface Setting<Value> {
  name: string
  meaning: string
  default: string
  secret?: boolean
  /** For an invalid value, throws an error whose message describes valid values. An unset setting is undefined. */
  parse(text: string | undefined): Value
}

export const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition
