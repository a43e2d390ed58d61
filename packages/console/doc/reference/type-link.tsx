import { Anchor } from '@mantine/core'
import { type GraphQLType, getNamedType } from 'graphql'

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
