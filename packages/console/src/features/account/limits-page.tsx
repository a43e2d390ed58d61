import { Progress, Table, Text } from '@mantine/core'
import { useQuery } from 'urql'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { AccountLimitsDocument } from './account.generated.ts'
import { Section } from './section.tsx'

/** `bytesPerTarget` → `Bytes per target`. */
const inWords = (name: string): string => {
  const words = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function LimitsPage() {
  const [{ data, error }, again] = useQuery({ query: AccountLimitsDocument, requestPolicy: 'network-only' })
  const limits = data?.login?.limits
  if (error !== undefined) return <ErrorNotice error={error} title="The limits could not be loaded" onRetry={again} />
  if (limits === undefined) return <Loading what="limits" />
  const counted = limits.filter(({ used }) => used !== null)
  const others = limits.filter(({ used }) => used === null)
  return (
    <>
      <Section title="What you use" about="Counted for your account.">
        <ListTable label="What you use" columns={['Limit', 'Used', 'Allowed', 'Share']} minWidth={420}>
          {counted.map(({ name, used, value }) => (
            <Table.Tr key={name}>
              <Table.Td>{inWords(name)}</Table.Td>
              <Table.Td>{used?.toLocaleString()}</Table.Td>
              <Table.Td>{value.toLocaleString()}</Table.Td>
              <Table.Td w={180}>
                <Progress value={((used ?? 0) / value) * 100} aria-label={`${inWords(name)}: share used`} />
              </Table.Td>
            </Table.Tr>
          ))}
        </ListTable>
      </Section>
      <Section title="Bounds" about="They hold for each request, name or value by itself.">
        <ListTable label="Bounds" columns={['Limit', 'Allowed', 'In the API']} minWidth={420}>
          {others.map(({ name, value }) => (
            <Table.Tr key={name}>
              <Table.Td>{inWords(name)}</Table.Td>
              <Table.Td>{value.toLocaleString()}</Table.Td>
              <Table.Td>
                <Text span size="xs" ff="monospace" c="dimmed">
                  {name}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </ListTable>
      </Section>
    </>
  )
}
