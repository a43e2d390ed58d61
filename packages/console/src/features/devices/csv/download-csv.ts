import { downloadFile } from '../../../components/download.ts'

/** Adds a byte order mark, because spreadsheet programs need it to recognize UTF-8. */
export const downloadCsv = (name: string, parts: readonly string[]): void =>
  downloadFile(name, ['\uFEFF', ...parts], 'text/csv;charset=utf-8')
