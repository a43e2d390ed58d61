import { defineRoutes } from '../route.ts'

const declared =
  '$target: BulkTargetInput!, $operations: [BulkOperationInput!]!, $name: String, $rate: Int = 200, $maxFailures: Int'
const passed = 'target: $target, operations: $operations, name: $name, rate: $rate, maxFailures: $maxFailures'

const change = (verb: string, summary: string) => ({
  summary,
  document: `mutation ${verb}Bulk($id: ID!) { ${verb}Bulk(id: $id) { ...BulkJob } }`,
  at: `${verb}Bulk`,
})

export const bulkRoutes = defineRoutes({
  'GET /bulk-jobs': {
    summary: 'Lists bulk jobs, newest first, one page at a time.',
    document: `query listBulkJobs($state: [BulkState!], $size: Int = 100, $after: ID, $total: Boolean! = true) {
      login {
        bulkJobs(state: $state, size: $size, after: $after) {
          items { ...BulkJob } total @include(if: $total) hasMore cursor
        }
      }
    }`,
    at: 'login.bulkJobs',
  },
  'POST /bulk-jobs': {
    summary:
      'Creates a bulk job and previews its changes. If open is true, the job instead stays a DRAFT until you preview it, so that you can add devices. The job changes no device until it is started.',
    document: `mutation createBulk(${declared}, $open: Boolean! = false) {
      createBulk(${passed}, open: $open) { ...BulkJob }
    }`,
    at: 'createBulk',
    location: '/bulk-jobs/{id}',
  },
  'POST /bulk-jobs/run': {
    summary:
      'Creates a bulk job and starts it if exactly the expected number of devices would change and no device is rejected. Otherwise, the response is CONFLICT, and the job stays READY or, with an Idempotency-Key, is not created. The server can respond before the preview is complete. If the job is then not started, its stateReason says why.',
    document: `mutation runBulk(${declared}, $expected: Int!) {
      runBulk(${passed}, expected: $expected) { ...BulkJob }
    }`,
    at: 'runBulk',
    location: '/bulk-jobs/{id}',
  },
  'GET /bulk-jobs/{id}': {
    summary: 'Returns a bulk job.',
    document: 'query getBulkJob($id: ID!) { login { bulkJob(id: [$id]) { ...BulkJob } } }',
    at: 'login.bulkJob[0]',
  },
  'GET /bulk-jobs/{id}/downloads': {
    summary:
      'Returns links for downloading the report of a bulk job and the secrets of the devices that the job registered. The secrets can be downloaded once, within 24 hours after the job ends. secretsUrl is null at all other times, if there are no secrets, and if the caller is not allowed to download them.',
    document: 'query getBulkDownloads($id: ID!) { login { bulkJob(id: [$id]) { reportUrl secretsUrl } } }',
    at: 'login.bulkJob[0]',
  },
  'GET /bulk-jobs/{id}/items': {
    summary: 'Lists the devices of a bulk job, in ID order, one page at a time.',
    document: `query listBulkItems(
      $id: ID!, $outcome: [BulkOutcome!], $status: [BulkItemStatus!], $size: Int = 100, $after: ID, $total: Boolean! = true
    ) {
      login {
        bulkJob(id: [$id]) {
          items(outcome: $outcome, status: $status, size: $size, after: $after) {
            items { ...BulkItem } total @include(if: $total) hasMore cursor
          }
        }
      }
    }`,
    at: 'login.bulkJob[0].items',
  },
  'POST /bulk-jobs/{id}/append': {
    summary:
      'Adds devices or CSV rows to a bulk job that was created with open set to true and has not been previewed.',
    document: `mutation appendBulk($id: ID!, $ids: [String!], $csv: String) {
      appendBulk(id: $id, ids: $ids, csv: $csv) { ...BulkJob }
    }`,
    at: 'appendBulk',
  },
  'POST /bulk-jobs/{id}/preview': change(
    'preview',
    'Previews a DRAFT job, or previews a READY or EXPIRED job again. The token of an earlier preview becomes invalid.',
  ),
  'POST /bulk-jobs/{id}/start': {
    summary:
      'Starts a bulk job. The job applies only the changes in the preview that token identifies. If expected is set and a different number of devices would change, the response is CONFLICT.',
    document: `mutation startBulk($id: ID!, $token: String!, $expected: Int) {
      startBulk(id: $id, token: $token, expected: $expected) { ...BulkJob }
    }`,
    at: 'startBulk',
  },
  'POST /bulk-jobs/{id}/pause': change('pause', 'Pauses a bulk job after the current batch.'),
  'POST /bulk-jobs/{id}/resume': {
    summary:
      'Resumes a paused bulk job, at the new rate if rate is set. If the job is already running, changes only its rate.',
    document: 'mutation resumeBulk($id: ID!, $rate: Int) { resumeBulk(id: $id, rate: $rate) { ...BulkJob } }',
    at: 'resumeBulk',
  },
  'POST /bulk-jobs/{id}/cancel': change(
    'cancel',
    'Cancels a bulk job. A running job ends after the current batch. Changes that the job has made remain.',
  ),
  'POST /bulk-jobs/{id}/retry': {
    summary:
      'Creates and previews a bulk job that repeats an earlier job for its devices with the given statuses: FAILED, SKIPPED, or both. The earlier job must be READY or PAUSED, or must have ended.',
    document: `mutation retryBulk($id: ID!, $statuses: [BulkItemStatus!]! = [FAILED]) {
      retryBulk(id: $id, statuses: $statuses) { ...BulkJob }
    }`,
    at: 'retryBulk',
    location: '/bulk-jobs/{id}',
  },
  'POST /bulk-jobs/{id}/undo': {
    summary:
      'Creates a bulk job that undoes an earlier job, and previews the changes of the new job. The earlier job must have been started and must have ended, and must not be a job that deletes devices. The new job reverts the values and services that the earlier job changed, and deletes the devices that the earlier job registered. It keeps values and services that have changed since, and devices that have connected or changed since.',
    document: 'mutation undoBulk($id: ID!, $rate: Int = 200) { undoBulk(id: $id, rate: $rate) { ...BulkJob } }',
    at: 'undoBulk',
    location: '/bulk-jobs/{id}',
  },
})
