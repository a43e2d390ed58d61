import { Badge, Text } from '@mantine/core'
import { astFromValue, type GraphQLArgument, print } from 'graphql'
import classes from './reference.module.css'
import { argumentsOf, type Member } from './schema-index.ts'
import { TypeLink } from './type-link.tsx'

interface MemberEntryProps {
  owner: string
  member: Member
  current: string
}

export function MemberEntry({ owner, member, current }: MemberEntryProps) {
  const anchor = `${owner}.${member.name}`
  const args = argumentsOf(member)
  return (
    <section className={classes.member} id={anchor} data-current={anchor === current || undefined}>
      <h3 className={classes.signature}>
        <a href={`#${anchor}`}>{member.name}</a>
        {args.length === 0 ? null : <span className={classes.faint}>(…)</span>}: <TypeLink type={member.type} />
        <DefaultValue of={member} />
      </h3>
      <Description of={member} />
      {args.length === 0 ? null : (
        <ul className={classes.arguments} aria-label={`Arguments of ${member.name}`}>
          {args.map((argument) => (
            <ArgumentEntry
              key={argument.name}
              anchor={`${anchor}.${argument.name}`}
              argument={argument}
              current={current}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

interface ArgumentEntryProps {
  anchor: string
  argument: GraphQLArgument
  current: string
}

function ArgumentEntry({ anchor, argument, current }: ArgumentEntryProps) {
  return (
    <li id={anchor} data-current={anchor === current || undefined}>
      <div className={classes.signature}>
        <a href={`#${anchor}`}>{argument.name}</a>: <TypeLink type={argument.type} />
        <DefaultValue of={argument} />
      </div>
      <Description of={argument} />
    </li>
  )
}

function DefaultValue({ of }: { of: Member | GraphQLArgument }) {
  if (!('defaultValue' in of) || of.defaultValue === undefined) return null
  const value = astFromValue(of.defaultValue, of.type)
  return value == null ? null : <span className={classes.faint}> = {print(value)}</span>
}

interface Described {
  description?: string | null | undefined
  deprecationReason?: string | null | undefined
}

export function Description({ of: { description, deprecationReason } }: { of: Described }) {
  return (
    <>
      {deprecationReason == null ? null : (
        <Text size="sm">
          <Badge color="orange">deprecated</Badge> {deprecationReason}
        </Text>
      )}
      {description == null || description === '' ? null : <Text className={classes.description}>{description}</Text>}
    </>
  )
}
