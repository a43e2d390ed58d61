import { Progress, Table, Text } from '@mantine/core'
import { useQuery } from 'urql'
import { capitalize } from '../../components/capitalize.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ListRow, ListTable } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { Section } from '../../components/section.tsx'
import { AccountLimitsDocument } from './account.generated.ts'

const abbreviations: Record<string, string> = { id: 'ID', ids: 'IDs', url: 'URL', csv: 'CSV' }

const inWords = (name: string): string => {
  const words = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).split(' ')
  return capitalize(words.map((word) => abbreviations[word] ?? word).join(' '))
}

export function LimitsPage() {
  const [{ data, error }, refetch] = useQuery({ query: AccountLimitsDocument, requestPolicy: 'network-only' })
  const limits = data?.login?.limits
  if (error !== undefined) return <ErrorNotice error={error} title="The limits could not be loaded" onRetry={refetch} />
  if (limits === undefined) return <Loading what="limits" />
  const counted = limits.filter(({ used }) => used !== null)
  // The server lists `firstRecord` as a limit, but it is a setting.
  const others = limits.filter(({ name, used }) => used === null && name !== 'firstRecord')
  return (
    <>
      <Section title="Usage" about="Limits whose usage the server counts.">
        <ListTable label="Usage" columns={['Limit', 'Used', 'Allowed', 'Percentage']} minWidth={420}>
          {counted.map(({ name, used, value }) => (
            <ListRow key={name}>
              {inWords(name)}
              {used?.toLocaleString()}
              {value.toLocaleString()}
              <Table.Td w={180}>
                <Progress value={((used ?? 0) / value) * 100} aria-label={`${inWords(name)}: percentage used`} />
              </Table.Td>
            </ListRow>
          ))}
        </ListTable>
      </Section>
      <Section title="Limits" about="All other limits.">
        <ListTable label="Limits" columns={['Limit', 'Allowed', 'Name in the API']} minWidth={420}>
          {others.map(({ name, value }) => (
            <ListRow key={name}>
              {inWords(name)}
              {value.toLocaleString()}
              <Text span size="xs" ff="monospace" c="dimmed">
                {name}
              </Text>
            </ListRow>
          ))}
        </ListTable>
      </Section>
    </>
  )
}
