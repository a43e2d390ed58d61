import type { UseFormReturnType } from '@mantine/form'

/** For `form.onSubmit`: focuses the first field with an error. In a long dialog, the user may have scrolled past it. */
export const focusFirstError =
  (form: Pick<UseFormReturnType<never>, 'getInputNode'>) =>
  (errors: Readonly<Record<string, unknown>>): void => {
    const [first] = Object.keys(errors)
    const field = first === undefined ? null : form.getInputNode(first)
    field?.scrollIntoView({ block: 'center' })
    field?.focus()
  }
