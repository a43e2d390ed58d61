import type pg from 'pg'

/**
 * As in PostGraphile's documentation (https://postgraphile.org/postgraphile/5/custom-mutations), a database function
 * contains the logic of the mutation. The row lock (`for no key update`) prevents lost updates.
 */
const setAttribute = `
create schema if not exists postgraphile;
create or replace function postgraphile.set_attribute(account_id text, device_id text, name text, value text)
returns text language plpgsql volatile as $$
#variable_conflict use_column
declare
  target record;
  old text;
begin
  select d.name, d.attributes into target from public.device d where d.account_id = $1 and d.id = $2 for no key update;
  if not found then
    return null;
  end if;
  old := target.attributes ->> $3;
  if old is distinct from $4 then
    update public.device d set attributes = d.attributes || jsonb_build_object($3, $4)
      where d.account_id = $1 and d.id = $2;
    insert into public.event (account_id, type, device_id, actor_id, targets, data)
      values ($1, 'ATTRIBUTE_CHANGE', $2, $1,
        jsonb_build_array(jsonb_build_object('id', $2, 'name', target.name, 'kind', 'device')),
        jsonb_build_object('context', null, 'changes', jsonb_build_object($3, jsonb_build_object('old', old, 'new', $4))));
  end if;
  return $4;
end $$`

export const createPeerSchema = (pool: pg.Pool): Promise<unknown> => pool.query(setAttribute)
