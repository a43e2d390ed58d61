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
