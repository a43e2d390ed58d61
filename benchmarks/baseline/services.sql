/* rows as arrays */
    select device.position::int, found.*
    from unnest($1::text[], $2::text[]) with ordinality as device (id, state, position)
    cross join lateral (
      select s.id, s.name, s.application, s.host, s.port, s.enabled, s.created, coalesce(live.state, device.state) as state, live.last_reported from service s left join service_live live on live.account_id = s.account_id and live.service_id = s.id
      where s.account_id = $3 and s.device_id = device.id and true
      order by s.name collate natural_order asc, s.id asc
    ) as found