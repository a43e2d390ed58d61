import { List, Stack, Text, Title } from '@mantine/core'
import { capitalize } from '../../components/capitalize.ts'
import { describePermissions } from '../access/permissions.ts'
import type { Question, Simulated } from './use-simulation.ts'

interface AnswersProps {
  simulated: Simulated
  asked: Question
}

export function Answers({ simulated: { simulation, needs }, asked }: AnswersProps) {
  const { allowed, deviceReachable, attributeReadable, attributeWritable, permissions, reasons } = simulation
  const answers: [question: string, answer: boolean | null][] = [
    ['Run the document', allowed],
    ['Read the device', deviceReachable],
    [`Read the attribute ${asked.attribute}`, attributeReadable],
    [`Set the attribute ${asked.attribute}`, attributeWritable],
  ]
  const given = answers.filter(([, answer]) => answer !== null)
  const lacking = permissions.filter(({ granted }) => !granted).map(({ permission }) => permission)
  const missing = lacking.filter((permission) => needs?.some((need) => need.permission === permission))
  // Omit reasons that only name a missing permission, because the list of permissions already shows it.
  const others = reasons.filter((reason) => !/ lacks [A-Z_]+$/.test(reason))
  if (given.length === 0 && others.length === 0) return null
  return (
    <Stack gap={4}>
      <Title order={3} size="h5">
        Result
      </Title>
      {given.map(([question, answer]) => (
        <Text key={question} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {question}: <b>{answer ? 'yes' : 'no'}</b>
        </Text>
      ))}
      {missing.length === 0 ? null : (
        <Text size="sm">The document needs permissions that are missing: {describePermissions(missing)}.</Text>
      )}
      {others.length === 0 ? null : (
        <List size="sm" aria-label="Reasons">
          {others.map((reason) => (
            <List.Item key={reason} style={{ overflowWrap: 'anywhere' }}>
              {capitalize(reason)}
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}
