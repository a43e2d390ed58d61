import { styleText } from 'node:util'

type Style = 'red' | 'bold' | 'yellow' | 'green' | 'dim'

/** Colour on a terminal alone; NO_COLOR and FORCE_COLOR are heeded. */
const styled =
  (style: Style, stream: NodeJS.WriteStream) =>
  (text: string): string =>
    styleText(style, text, { stream })

export const red = styled('red', process.stderr)
export const bold = styled('bold', process.stderr)
export const yellow = styled('yellow', process.stderr)

/** The same for what goes to standard output. */
export const printed = {
  bold: styled('bold', process.stdout),
  dim: styled('dim', process.stdout),
  red: styled('red', process.stdout),
  yellow: styled('yellow', process.stdout),
  green: styled('green', process.stdout),
}
