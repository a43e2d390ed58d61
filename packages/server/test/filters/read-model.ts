import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { applicationTypes } from '../../src/features/services/application-types.ts'
import type { ModelDevice } from './model.ts'

export async function readModel(db: Database, accountId: string, id: string): Promise<ModelDevice | undefined> {
  const { rows } = await sql<{ device: ModelDevice }>`
    select jsonb_build_object('id', d.id, 'name', d.name, 'hardwareId', d.hardware_id, 'platform', d.platform,
      'created', extract(epoch from d.created) * 1000, 'state', l.state,
      'lastReported', extract(epoch from l.last_reported) * 1000,
      'attributes', d.attributes || case when l.status_a is null then '{}'
        else jsonb_build_object('$svc', jsonb_build_object('statusA', l.status_a)) end,
      'overrides', coalesce((select jsonb_object_agg(o.context, o.attributes) from attribute_override o
        where o.account_id = d.account_id and o.target_id = d.id), '{}'),
      'times', d.attribute_times || l.attribute_times,
      'overrideTimes', coalesce((select jsonb_object_agg(o.context, o.attribute_times) from attribute_override o
        where o.account_id = d.account_id and o.target_id = d.id), '{}'),
      'services', coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name, 'application', s.application,
          'host', s.host, 'port', s.port, 'enabled', s.enabled, 'state', live.state, 'attributes', s.attributes,
          'overrides', coalesce((select jsonb_object_agg(o.context, o.attributes) from attribute_override o
            where o.account_id = s.account_id and o.target_id = s.id), '{}')))
        from service s left join service_live live on live.account_id = s.account_id and live.service_id = s.id
        where s.account_id = d.account_id and s.device_id = d.id), '[]')) as device
    from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = ${accountId} and d.id = ${id}`.execute(db)
  const device = rows[0]?.device
  if (device === undefined) return undefined
  const services = device.services.map((service) => {
    const type = applicationTypes.find((each) => each.id === service.application)!
    return { ...service, title: type.name, protocol: type.protocol }
  })
  return { ...device, services }
}
