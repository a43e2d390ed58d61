import { styleText } from 'node:util'

export type Color = 'red' | 'yellow' | 'green'

type Style = Color | 'bold' | 'dim'

/** Styles text if the stream supports colors. Respects NO_COLOR and FORCE_COLOR. */
const styled =
  (style: Style, stream: NodeJS.WriteStream) =>
  (text: string): string =>
    styleText(style, text, { stream })

export const red = styled('red', process.stderr)
export const bold = styled('bold', process.stderr)
export const yellow = styled('yellow', process.stderr)

export const printed = {
  bold: styled('bold', process.stdout),
  dim: styled('dim', process.stdout),
  red: styled('red', process.stdout),
  yellow: styled('yellow', process.stdout),
  green: styled('green', process.stdout),
}
