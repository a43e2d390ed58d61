import { Anchor, Badge, Group, List, Title } from '@mantine/core'
import { type GraphQLEnumType, type GraphQLNamedType, isEnumType } from 'graphql'
import { Description, MemberEntry } from './member-entry.tsx'
import classes from './reference.module.css'
import { type Entry, kindOf, membersOf, type SchemaIndex } from './schema-index.ts'

interface TypePageProps {
  type: GraphQLNamedType
  index: SchemaIndex
  /** The entry that the URL's hash selects: the type, a member, an argument, or a value. */
  anchor: string
}

export function TypePage({ type, index, anchor }: TypePageProps) {
  const uses = index.uses.get(type.name) ?? []
  return (
    <>
      <Group gap="sm" align="center">
        <Title order={1}>{type.name}</Title>
        <Badge color="gray">{kindOf(type)}</Badge>
      </Group>
      <Description of={type} />
      {isEnumType(type) ? <EnumValues type={type} current={anchor} /> : <Members type={type} current={anchor} />}
      {uses.length === 0 ? null : <Uses uses={uses} />}
    </>
  )
}

function Members({ type, current }: { type: GraphQLNamedType; current: string }) {
  const members = membersOf(type)
  if (members.length === 0) return null
  return (
    <>
      <Title order={2} className={classes.heading}>
        Fields
      </Title>
      {members.map((member) => (
        <MemberEntry key={member.name} owner={type.name} member={member} current={current} />
      ))}
    </>
  )
}

function EnumValues({ type, current }: { type: GraphQLEnumType; current: string }) {
  return (
    <>
      <Title order={2} className={classes.heading}>
        Values
      </Title>
      {type.getValues().map((value) => {
        const anchor = `${type.name}.${value.name}`
        return (
          <section key={anchor} id={anchor} className={classes.member} data-current={anchor === current || undefined}>
            <h3 className={classes.signature}>
              <a href={`#${anchor}`}>{value.name}</a>
            </h3>
            <Description of={value} />
          </section>
        )
      })}
    </>
  )
}

function Uses({ uses }: { uses: readonly Entry[] }) {
  return (
    <>
      <Title order={2} className={classes.heading}>
        Used by
      </Title>
      <List className={classes.uses}>
        {uses.map(({ anchor, label }) => (
          <List.Item key={anchor}>
            <Anchor href={`#${anchor}`}>{label}</Anchor>
          </List.Item>
        ))}
      </List>
    </>
  )
}
