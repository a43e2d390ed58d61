import { Code, Text } from '@mantine/core'
import { RouterAnchor } from '../../app/links.tsx'

interface SelectionTextProps {
  where: string | null
  view?: { id: string; name: string } | null
  context: string | null
}

interface RestrictionSummaryProps {
  restriction: SelectionTextProps & {
    attributes: { read: readonly string[]; write: readonly string[] } | null
  }
  /** Text to show if there is no restriction. If omitted, nothing is shown. */
  none?: string
}

export function RestrictionSummary({ restriction, none }: RestrictionSummaryProps) {
  const { where, view = null, context, attributes } = restriction
  const restrictsDevices = where !== null || view !== null
  if (!restrictsDevices && attributes === null) return none ?? null
  return (
    <>
      {restrictsDevices ? (
        <Text span inherit display="block" style={{ overflowWrap: 'anywhere' }}>
          only devices
          <SelectionText where={where} view={view} context={context} />
        </Text>
      ) : null}
      {attributes === null ? null : (
        <Text span inherit display="block" style={{ overflowWrap: 'anywhere' }}>
          only the attributes <Names names={[...attributes.read, ...attributes.write]} />
          {attributes.write.length === 0 ? null : (
            <>
              , of which <Names names={attributes.write} /> can be set
            </>
          )}
        </Text>
      )}
    </>
  )
}

const Names = ({ names }: { names: readonly string[] }) => {
  const different = [...new Set(names)]
  return different.length === 0 ? <>(none)</> : <Code>{different.join(', ')}</Code>
}

/** Shows the end of a sentence about devices, such as "in the view Oslo". */
export const SelectionText = ({ where, view = null, context }: SelectionTextProps) => (
  <>
    {view === null ? null : (
      <>
        {' '}
        in the view{' '}
        <RouterAnchor to="/devices" search={{ view: view.id }} inherit>
          {view.name}
        </RouterAnchor>
      </>
    )}
    {where === null ? null : (
      <>
        {' '}
        that match <Code>{where}</Code>
      </>
    )}
    {context === null ? null : (
      <>
        {' '}
        in the context <Code>{context}</Code>
      </>
    )}
  </>
)
