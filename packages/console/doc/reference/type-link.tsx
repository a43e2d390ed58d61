import { Anchor } from '@mantine/core'
import { type GraphQLType, getNamedType } from 'graphql'

/** `[Device!]!`, whose name leads to the type. */
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
