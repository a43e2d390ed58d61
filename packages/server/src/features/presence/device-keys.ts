export interface DeviceKey {
  readonly accountId: string
  readonly deviceId: string
}

/** The key of a device changes when the device moves to another account. */
export const keyText = ({ accountId, deviceId }: DeviceKey): string => `${accountId} ${deviceId}`

export const distinctDevices = <Device extends DeviceKey>(devices: readonly Device[]): Device[] => [
  ...new Map(devices.map((device) => [keyText(device), device])).values(),
]

/** The parameters $1 (account IDs) and $2 (device IDs) are the keys. Parameters for further columns start at $3. */
interface DeviceKeys {
  /** Returns SQL for the rows `w`, with the columns account_id, device_id, and the given columns. */
  rows(...more: { name: string; type: string }[]): string
  /** Returns the SQL condition that a row of the table `alias` belongs to the same device as the row `w`. */
  is(alias: string, idColumn?: string): string
}

const arrays = (types: readonly string[], first: number): string =>
  types.map((type, index) => `$${index + first}::${type}[]`).join(', ')

const ofSeveralAccounts: DeviceKeys = {
  rows: (...more) =>
    `unnest(${arrays(['text', 'text', ...more.map(({ type }) => type)], 1)})
       as w (${['account_id', 'device_id', ...more.map(({ name }) => name)].join(', ')})`,
  is: (alias, idColumn = 'device_id') => `(${alias}.account_id = w.account_id and ${alias}.${idColumn} = w.device_id)`,
}

const ofOneAccount: DeviceKeys = {
  rows: (...more) =>
    `(select $1::text as account_id, given.* from unnest(${arrays(['text', ...more.map(({ type }) => type)], 2)})
       as given (${['device_id', ...more.map(({ name }) => name)].join(', ')})) as w`,
  is: (alias, idColumn = 'device_id') => `(${alias}.account_id = $1 and ${alias}.${idColumn} = w.device_id)`,
}

/**
 * Returns a function that returns the statement for given devices. Devices connect and disconnect in bursts, so one
 * statement can write devices of several accounts. If all devices belong to one account, the statement compares account
 * IDs with a parameter. A cluster can then send the statement to the account's shard.
 */
export function devicesText(textOf: (keys: DeviceKeys) => string): (devices: readonly DeviceKey[]) => string {
  const forms = { one: textOf(ofOneAccount), several: textOf(ofSeveralAccounts) }
  return (devices) => forms[areOfOneAccount(devices) ? 'one' : 'several']
}

/** Returns the parameter $1: the account's ID if all devices are in one account, otherwise each device's account ID. */
export const accountsOf = (devices: readonly DeviceKey[]): string | string[] =>
  areOfOneAccount(devices) ? devices[0]!.accountId : devices.map(({ accountId }) => accountId)

const areOfOneAccount = (devices: readonly DeviceKey[]): boolean =>
  devices.length > 0 && devices.every(({ accountId }) => accountId === devices[0]!.accountId)

export const devicesOfFirstAccount = (devices: readonly DeviceKey[]): DeviceKey[] =>
  devices.filter(({ accountId }) => accountId === devices[0]!.accountId)
