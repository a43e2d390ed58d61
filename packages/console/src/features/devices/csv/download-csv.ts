import { downloadFile } from '../../../components/download.ts'

/** Downloads a CSV file. The byte order mark tells spreadsheets that it is UTF-8. */
export const downloadCsv = (name: string, parts: readonly string[]): void =>
  downloadFile(name, ['\uFEFF', ...parts], 'text/csv;charset=utf-8')
