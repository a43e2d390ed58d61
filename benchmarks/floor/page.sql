select * from (select *, row_number() over () as position from (select d.id, d.name, d.hardware_id, d.platform, d.created, d.name collate natural_order as sort_key from device d
    where d.account_id = $1 order by d.name collate natural_order asc, d.id asc limit $2 offset $3) as page) as p
    cross join lateral (select l.state, l.state_since, l.last_reported, l.category_a, l.category_b, l.category_c, l.category_d, l.category_e, l.status_a, l.status_b, l.status_c, l.status_d, l.status_e from device_live l
      where l.account_id = $4 and l.device_id = p.id offset 0) as l order by p.position