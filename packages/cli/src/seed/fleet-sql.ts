import { customers, firmware, kinds, networks, platforms, services, sites, statuses } from './sample-values.ts'

type Values = readonly (string | number | null)[]

const literal = (value: string | number | null): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

const arrayOf = (values: Values): string => `(array[${values.map(literal).join(', ')}])`

/** Returns SQL that picks a value by a byte of the row's hash, so that a row has the same value in every run. */
const draw = (values: Values, byte: number): string => `${arrayOf(values)}[1 + get_byte(h, ${byte}) % ${values.length}]`

/** Returns SQL that picks a value by the number of the service within its device. */
const pick = (values: Values): string => `${arrayOf(values)}[1 + (k - 1) % ${values.length}]`

/** Number of consecutive devices whose IDs have the same prefix. Such IDs share index pages, so inserts are faster. */
const CLUSTER_SIZE = 4_096

/**
 * Returns SQL for an 8-byte ID: the byte 0x80, 3 bytes of the cluster's hash, and 4 bytes from the row's number. The 4
 * bytes are unique per row, because multiplying by an odd factor permutes the numbers below 2^32. The second byte is
 * below 0x80 for devices and at least 0x80 for services.
 */
function id(number: string, kind: 'device' | 'service'): string {
  const mark = kind === 'device' ? '& 127' : '| 128'
  const bytes = [
    `get_byte(around, 0) ${mark}`,
    'get_byte(around, 1)',
    'get_byte(around, 2)',
    ...[24, 16, 8, 0].map((shift) => `((${number}) * 2654435761 >> ${shift}) & 255`),
  ]
  return `'80:' || ${bytes.map((byte) => `lpad(to_hex(${byte}), 2, '0')`).join(` || ':' || `)}`
}

const hash = (text: string): string => `sha256(convert_to($5 || ${text}, 'UTF8'))`

/** Fixed dates make sample fleets reproducible. */
const FIRST_DAY = `timestamptz '2024-01-01 00:00Z'`
const REPORT_DAY = `timestamptz '2026-01-01 00:00Z'`

/** Adds devices $2 to $3 of sample fleet $5 to account $1, each with $4 services. */
export const fleetStatement = `
with numbered as materialized (
  select n, h, around, ${id('n', 'device')} as id
  from generate_series($2::bigint, $3::bigint) n, ${hash("':' || n")} h, ${hash(`' near ' || n / ${CLUSTER_SIZE}`)} around
  order by id
), added as (
  insert into device (account_id, id, name, hardware_id, platform, created, attributes)
  select $1, id,
    ${draw(kinds, 3)} || '-' || ${draw(sites, 4)} || '-' || n,
    upper(encode(substr(h, 6, 2), 'hex')) || '-' || lpad(upper(to_hex(n)), 8, '0'),
    ${draw(platforms, 7)},
    ${FIRST_DAY} + n * interval '61 seconds',
    jsonb_build_object('site', ${draw(sites, 4)}, 'firmware', ${draw(firmware, 8)}, 'net', jsonb_build_object('ssid', ${draw(networks, 9)}))
  from numbered where set_config('muster.counts_devices', 'on', true) is not null
  on conflict do nothing
  returning id
), counted as (
  insert into device_count (account_id, devices) select $1, count(*) from added having count(*) > 0
), alive as (
  insert into device_live (account_id, device_id, state, state_since, last_reported, category_a, status_a, status_b)
  select $1, id,
    case when get_byte(h, 10) < 190 then 'active' else 'inactive' end,
    ${REPORT_DAY} - get_byte(h, 11) * interval '97 minutes',
    case when get_byte(h, 10) < 248 then ${REPORT_DAY} - get_byte(h, 12) * interval '7 seconds' end,
    ${draw(customers, 13)},
    ${draw(statuses, 14)},
    case when get_byte(h, 15) < 64 then get_byte(h, 16) % 101 || ' %' end
  from numbered join added using (id)
), served as (
  insert into service (account_id, device_id, id, name, application, port, host, enabled, created)
  select $1, id, ${id('n * 128 + k', 'service')},
    ${pick(services.map(([name]) => name))} || case when k > ${services.length} then '-' || k else '' end,
    ${pick(services.map(([, application]) => application))},
    ${pick(services.map(([, , port]) => port))},
    case when get_byte(h, 17) < 40 then '192.168.' || get_byte(h, 18) || '.' || k end,
    get_byte(h, 19) >= 12,
    ${FIRST_DAY} + n * interval '61 seconds'
  from numbered join added using (id), generate_series(1, $4::int) k
)
select count(*)::int as added from added`
