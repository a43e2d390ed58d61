import { formatNeutralRow, neutralizeFormula } from '@muster/fleet-csv/csv/formulas'
import { formatCsvRow } from '@muster/fleet-csv/csv/rfc-4180'
import type { Secrets } from '../../../auth/secrets.ts'
import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import { isPermitted } from '../../../permissions.ts'
import { pointsOfObjects } from '../../../rate-limits/point-prices.ts'
import { createDownloadLink } from '../../downloads/create-link.ts'
import type { CsvList, Download } from '../../downloads/serve-download.ts'
import { readableItem } from '../access/readable-items.ts'
import { isCreator } from '../access/visible-jobs.ts'
import { type ItemSlice, type ListedItem, selectItemPages } from '../bulk-item-pages.queries.ts'
import { type BulkJob, expiryOf, isEnded } from '../bulk-job.ts'
import { takeJobKey } from '../bulk-secrets.queries.ts'
import { type JobSecrets, openJobKey } from './job-secrets.ts'

const REPORT_PATH = '/bulk-jobs/v1.csv'
const SECRETS_PATH = '/bulk-secrets/v1.csv'
const PAGE = 200
/** The maximum size, in bytes, of the changes on a page with more than one device. */
const PAGE_BYTES = 8 * 1024 * 1024

export const reportUrl = (context: Context, job: BulkJob): Promise<string> =>
  linkTo(context, job, { list: 'bulkReport', path: REPORT_PATH })

/**
 * Resolves to null if the job has no secrets to download or the viewer may not read them. The secrets can be downloaded
 * once, within a day after the job ends.
 */
export async function secretsUrl(context: Context, job: BulkJob): Promise<string | null> {
  const { viewer, clock } = context
  const mayRead = isPermitted(viewer.permissions, 'DEVICE_CREATE') && !viewer.readOnly
  const mayHaveRegistered = job.registering > 0 && job.done > 0
  const isOffered = job.hasSecrets && isEnded(job) && job.finished !== null && job.finished >= expiryOf(clock())
  if (!mayRead || !mayHaveRegistered || !isOffered) return null
  return linkTo(context, job, { list: 'bulkSecrets', path: SECRETS_PATH })
}

const linkTo = (context: Context, job: BulkJob, { list, path }: Pick<CsvList, 'list' | 'path'>): Promise<string> =>
  createDownloadLink(context, {
    path,
    content: { filter: {}, selection: { list, job: job.id, isOwn: isCreator(context.viewer, job) } },
    description: { list, job: job.id },
  })

export const reportCsv: CsvList = {
  list: 'bulkReport',
  path: REPORT_PATH,
  fileName: 'bulk-job.csv',
  field: 'reportUrl',
  firstPoints: pointsOfObjects(PAGE),
  async *pages(download) {
    yield formatNeutralRow(['device', 'name', 'line', 'outcome', 'status', 'reason', 'code', 'message', 'changes'])
    for await (const items of itemPages(download, { outcomes: undefined, statuses: undefined })) {
      yield items.map(reportRow).join('')
    }
  },
}

function reportRow({ id, name, outcome, status, reason, code, message, ...item }: ListedItem): string {
  const line = item.line?.toString() ?? null
  return formatNeutralRow([id, name, line, outcome, status, reason, code, message, JSON.stringify(item.changes)])
}

export const secretsCsv = (secrets: Pick<Secrets, 'decrypt'>, clock: () => Date): CsvList => ({
  list: 'bulkSecrets',
  path: SECRETS_PATH,
  fileName: 'device-secrets.csv',
  field: 'secretsUrl',
  firstPoints: pointsOfObjects(PAGE),
  once: true,
  async *pages(download) {
    const { accountId } = download
    const jobId = jobOf(download)
    assertVisible(download)
    const key = await download.read((db) => takeJobKey(db, { accountId, id: jobId }, expiryOf(clock())))
    if (key === null)
      throw new ApiError(
        'NOT_FOUND',
        'the secrets were already downloaded, or the job ended more than a day ago: rotate the secret of each device',
      )
    const opened = openJobKey(secrets, { accountId, jobId }, key)
    yield formatNeutralRow(['id', 'name', 'hardwareId', 'secret'])
    for await (const items of itemPages(download, { outcomes: ['REGISTER'], statuses: ['DONE'] })) {
      yield items.map((item) => secretRow(item, opened)).join('')
    }
  },
})

function secretRow({ id, name, changes }: ListedItem, secrets: JobSecrets): string {
  const hardwareId = changes.register?.hardwareId ?? null
  return formatCsvRow([id, neutralizeFormula(name), neutralizeFormula(hardwareId), secrets.ofDevice(id)])
}

/** Throws FORBIDDEN if the caller has become restricted and did not create the job. */
function assertVisible(download: Download): void {
  const isVisible = download.reader().restriction === undefined || download.content.selection?.isOwn === true
  if (!isVisible)
    throw new ApiError(
      'FORBIDDEN',
      'your role or key is now restricted, so you can download only the files of bulk jobs that you created',
    )
}

const jobOf = ({ content }: Download): string => String(content.selection?.job)

async function* itemPages(download: Download, given: Omit<ItemSlice, 'inside'>) {
  const { accountId } = download
  for (let after = ''; ; ) {
    assertVisible(download)
    const slice = { ...given, inside: download.inside() }
    const query = { jobIds: [jobOf(download)], slice, after, size: PAGE, changeBytes: PAGE_BYTES }
    const { items, isCut } = await download.read((db) => selectItemPages(db, accountId, query))
    if (items.length > 0) yield items.map((item) => readableItem(download.reader(), item))
    if (items.length < PAGE && !isCut) return
    after = items.at(-1)!.id
    await download.charge(pointsOfObjects(PAGE))
  }
}
