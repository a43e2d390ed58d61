/**
 * The string fields of a device that have a column in a file, in the order of the columns. Each value is the name of
 * the server's limit on the field's length.
 */
export const fieldLimits = {
  name: 'deviceNameLength',
  hardwareId: 'hardwareIdLength',
  platform: 'platformLength',
} as const

export type FieldName = keyof typeof fieldLimits

export const fieldNames = Object.keys(fieldLimits) as FieldName[]

export type DeviceFields = { name: string } & Record<Exclude<FieldName, 'name'>, string | null>
