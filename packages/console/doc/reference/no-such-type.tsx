import { Anchor, List, Text, Title } from '@mantine/core'
import classes from './reference.module.css'
import type { Entry } from './schema-index.ts'
import { searchEntries } from './search-entries.ts'

const SHOWN = 8

/** A link from elsewhere, or one typed by hand. */
export function NoSuchType({ name, entries }: { name: string; entries: readonly Entry[] }) {
  const similar = searchEntries(entries, name).slice(0, SHOWN)
  return (
    <>
      <Title order={1} mb="xs">
        No type “{name}”
      </Title>
      <Text className={classes.description}>
        This server’s schema has none of that name.{' '}
        {similar.length === 0 ? 'Search for it, or begin at the ' : 'See also the '}
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
