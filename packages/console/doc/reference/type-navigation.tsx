import { Title } from '@mantine/core'
import classes from './reference.module.css'
import type { TypeGroup } from './schema-index.ts'

export function TypeList({ groups, current }: { groups: readonly TypeGroup[]; current: string }) {
  return (
    <>
      <ul>
        <li>
          <a href="#overview" aria-current={current === '' ? 'page' : undefined}>
            Overview
          </a>
        </li>
      </ul>
      {groups.map(({ title, types }) => (
        <section key={title}>
          <Title order={2} className={classes.group}>
            {title}
          </Title>
          <ul>
            {types.map(({ name }) => (
              <li key={name}>
                <a href={`#${name}`} aria-current={name === current ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}
