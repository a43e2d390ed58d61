import { Anchor, List, Text, Title } from '@mantine/core'
import classes from './reference.module.css'
import type { Entry } from './schema-index.ts'
import { searchEntries } from './search-ranking.ts'

const SHOWN = 8

/** Suggests entries that contain the name, because the link may be outdated or the URL mistyped. */
export function UnknownType({ name, entries }: { name: string; entries: readonly Entry[] }) {
  const similar = searchEntries(entries, name).slice(0, SHOWN)
  return (
    <>
      <Title order={1} mb="xs">
        No type “{name}”
      </Title>
      <Text className={classes.description}>
        This server’s schema has no type with this name.{' '}
        {similar.length === 0 ? 'Search the reference, or start with the ' : 'See the similar entries below or the '}
        <Anchor href="#overview">overview</Anchor>.
      </Text>
      <List mt="sm">
        {similar.map(({ anchor, label }) => (
          <List.Item key={anchor}>
            <Anchor href={`#${anchor}`}>{label}</Anchor>
          </List.Item>
        ))}
      </List>
    </>
  )
}
