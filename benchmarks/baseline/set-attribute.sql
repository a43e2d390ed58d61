
  with target as (
    select d.id as device_id, d.attributes || '{}' as attributes, d.override_names, d.attribute_times || '{}' as attribute_times,
      jsonb_build_array(jsonb_build_object('id', d.id, 'name', d.name, 'kind', 'device')) as targets,
      num_nonnulls(l.category_a, l.category_b, l.category_c, l.category_d, l.category_e, l.status_a, l.status_b, l.status_c, l.status_d, l.status_e) as reserved_count, jsonb_strip_nulls(jsonb_build_object('categoryA', l.category_a, 'categoryB', l.category_b, 'categoryC', l.category_c, 'categoryD', l.category_d, 'categoryE', l.category_e, 'statusA', l.status_a, 'statusB', l.status_b, 'statusC', l.status_c, 'statusD', l.status_d, 'statusE', l.status_e)) as reserved
    from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = $1 and d.id = $2 for no key update of d, l
  ), judged as materialized (
    select *, case when $4::text is null then (attributes -> $3::text) #>> '{}' else (attributes -> $3::text) ->> $4::text end as old, 
      coalesce(jsonb_typeof((attributes -> $3::text)) = case when $4::text is null then 'object' else 'string' end
        and ($4::text is null or $5::text is not null), false)
      or coalesce((override_names -> $3::text ->> 0) = case when $4::text is null then 'group' else 'value' end
        and $5::text is not null, false) as conflict from target
  ), merged as materialized (
    select *, case when not conflict then case
      when $4::text is null and $5::text is null then attributes - $3::text
      when $4::text is null then attributes || jsonb_build_object($3::text, $5::text)
      when $5::text is not null then attributes ||
        jsonb_build_object($3::text, coalesce(attributes -> $3::text, '{}') || jsonb_build_object($4::text, $5::text))
      when jsonb_typeof(attributes -> $3::text) is distinct from 'object' then attributes
      when (attributes -> $3::text) - $4::text = '{}' then attributes - $3::text
      else attributes || jsonb_build_object($3::text, (attributes -> $3::text) - $4::text)
    end end as next, 
      case when old = $5::text then coalesce(coalesce(attribute_confirmed(jsonb_build_object($6::text, (attribute_times -> $6::text)), $6::text), 0)
        <= (date_part('epoch', statement_timestamp()) * 1000)::bigint - 250 * (
          select f.seconds from freshness f where f.account_id = $1 and f.name = $6::text), false) else false end as confirmed,
      statement_timestamp()::timestamptz(3) as at from judged
  ), change as materialized (
    select *, not conflict and ($5::text is null or ((old is not null or attribute_count(attributes) + reserved_count < 200)
      and octet_length((next || case reserved_count when 0 then '{}' else jsonb_build_object('$svc', reserved) end)::text) <= 65536)) as allowed,
      case when $5::text is null then attribute_times - $6::text
        else attribute_times || jsonb_build_object($6::text, case
        when old is distinct from $5::text then to_jsonb((date_part('epoch', at) * 1000)::bigint)
        when confirmed then jsonb_build_array(attribute_changed(jsonb_build_object($6::text, (attribute_times -> $6::text)), $6::text), (date_part('epoch', at) * 1000)::bigint)
        else (attribute_times -> $6::text) end) end as times
    from merged
  ), written as (
    update device t set attributes = change.next, attribute_times = change.times
    from change where t.account_id = $1 and t.id = $2 and change.allowed and (change.old is distinct from $5::text or change.confirmed)
    returning 1
  ), recorded as (
    insert into event ("timestamp", account_id, type, device_id, actor_id, source, targets, state, data, previous)
    select change.at, $1, 'ATTRIBUTE_CHANGE', change.device_id, $7, $8::jsonb, change.targets, null, jsonb_build_object('context', null,
      'changes', jsonb_build_object($6::text, jsonb_build_object('old', change.old, 'new', $5::text))), case when change.attribute_times -> $6::text is not null then jsonb_build_object($6::text, change.attribute_times -> $6::text) end
    from written, change where change.old is distinct from $5::text
  )
  select allowed from change