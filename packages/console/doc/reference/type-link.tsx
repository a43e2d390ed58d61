import { Anchor } from '@mantine/core'
import { type GraphQLType, getNamedType } from 'graphql'

/** Shows a type reference such as `[Device!]!`, with a link to the named type. */
export function TypeLink({ type }: { type: GraphQLType }) {
  const { name } = getNamedType(type)
  const [before, after] = String(type).split(name, 2)
  return (
    <>
      {before}
      <Anchor inherit href={`#${name}`}>
        {name}
      </Anchor>
      {after}
    </>
  )
}
