interface FieldCall {
  required?: string
  document: (args: string) => string
}

/** Names with `$`, such as `$device`, stand for values that the test inserts. */
export const fieldCalls: Record<string, FieldCall> = {
  'Device.attribute': { required: 'name: "site"', document: (args) => ofDevice(`attribute${args}`) },
  'Device.attributes': { document: (args) => ofDevice(`attributes${args}`) },
  'Device.events': { document: (args) => ofDevice(`events${args} { total hasMore items { id } }`) },
  'Device.services': { document: (args) => ofDevice(`services${args} { name }`) },
  'Service.attribute': { required: 'name: "site"', document: (args) => ofDevice(`services { attribute${args} }`) },
  'Service.attributes': { document: (args) => ofDevice(`services { attributes${args} }`) },
  'User.accessKeys': { document: (args) => `{ login { accessKeys${args} { key } } }` },
  'AccessKey.unused': { document: (args) => `{ login { accessKeys { unused${args} } } }` },
  'AccessKey.usage': {
    document: (args) => `{ login { accessKeys(key: ["$key"]) { usage${args} { permission } } } }`,
  },
  'User.account': { document: (args) => `{ login { account${args} { id } } }` },
  'User.attribute': { required: 'name: "site"', document: (args) => `{ login { attribute${args} } }` },
  'User.attributes': { document: (args) => `{ login { attributes${args} } }` },
  'User.checkFilter': {
    required: 'where: "name:a"',
    document: (args) => `{ login { checkFilter${args} { canonical completions { text } } } }`,
  },
  'User.deviceTotals': { document: (args) => `{ login { deviceTotals${args} { total } } }` },
  'User.facets': {
    required: 'by: ["name"]',
    document: (args) => `{ login { facets${args} { buckets { value count } total } } }`,
  },
  'User.needs': {
    required: 'document: "{ login { webhooks { id } } }"',
    document: (args) => `{ login { needs${args} { field permission } } }`,
  },
  'User.simulate': {
    required: 'key: "$key"',
    document: (args) => `{ login { simulate${args} { allowed devices permissions { granted } reasons } } }`,
  },
  'User.presence': {
    required: 'from: "2026-11-01T00:00:00Z"',
    document: (args) => `{ login { presence${args} { at } } }`,
  },
  'Device.availability': {
    required: 'from: "2026-11-01T00:00:00Z"',
    document: (args) => ofDevice(`availability${args} { segments { state } }`),
  },
  'User.attributeHistory': {
    document: (args) => `{ login { attributeHistory${args} { total hasMore items { name } } } }`,
  },
  'Device.attributeHistory': {
    document: (args) => ofDevice(`attributeHistory${args} { total hasMore items { name old new } }`),
  },
  'Service.attributeHistory': {
    document: (args) => ofDevice(`services { attributeHistory${args} { total hasMore items { name } } }`),
  },
  'User.attributeInfo': { document: (args) => `{ login { attributeInfo${args} { name value changed } } }` },
  'Device.attributeInfo': { document: (args) => ofDevice(`attributeInfo${args} { name value changed }`) },
  'Service.attributeInfo': { document: (args) => ofDevice(`services { attributeInfo${args} { name value changed } }`) },
  'User.bulkJobs': { document: (args) => `{ login { bulkJobs${args} { hasMore } } }` },
  'BulkJob.items': {
    document: (args) => `{ login { bulkJob(id: "$bulkJob") { items${args} { total items { status } } } } }`,
  },
  'User.services': { document: (args) => `{ login { services${args} { total hasMore items { name } } } }` },
  'User.views': { document: (args) => `{ login { views${args} { name where } } }` },
  'User.devices': { document: (args) => `{ login { devices${args} { total hasMore items { name } } } }` },
  'User.events': { document: (args) => `{ login { events${args} { total hasMore items { id } } } }` },
  'User.devicesUrl': { document: (args) => `{ login { __typename devicesUrl${args} } }` },
  'User.eventCounts': { document: (args) => `{ login { eventCounts${args} { count } } }` },
  'User.eventsUrl': { document: (args) => `{ login { __typename eventsUrl${args} } }` },
  'User.webhooks': { document: (args) => `{ login { webhooks${args} { url } } }` },
  'Webhook.deliveries': { document: (args) => `{ login { webhooks { deliveries${args} { total hasMore } } } }` },
  'Mutation.createBulk': {
    required: 'target: { ids: ["$device"] }, operations: [{ setAttributes: { attributes: { site: "a" } } }]',
    document: (args) => bulk(`createBulk${args}`),
  },
  'Mutation.runBulk': {
    required:
      'target: { where: "name = nowhere" }, operations: [{ setAttributes: { attributes: { site: "a" } } }], expected: 0',
    document: (args) => bulk(`runBulk${args}`),
  },
  'Mutation.appendBulk': {
    required: 'id: "$bulkDraft", ids: ["$random"]',
    document: (args) => `mutation { appendBulk${args} { state } }`,
  },
  'Mutation.startBulk': {
    required: 'id: "$bulkJob", token: "x"',
    document: (args) => bulk(`startBulk${args}`),
  },
  'Mutation.resumeBulk': { required: 'id: "$bulkJob"', document: (args) => bulk(`resumeBulk${args}`) },
  'Mutation.undoBulk': { required: 'id: "$bulkJob"', document: (args) => bulk(`undoBulk${args}`) },
  'Mutation.addService': {
    required: 'deviceId: "$device", name: "added"',
    document: (args) => `mutation { addService${args} { name application host port enabled } }`,
  },
  'Mutation.createAccessKey': {
    document: (args) =>
      `mutation { createAccessKey${args} { accessKey { name expires readOnly permissions networks rateShare } } }`,
  },
  'Mutation.createInvitation': {
    required: 'roleId: "viewer"',
    document: (args) => `mutation { createInvitation${args} { email emailStatus role { id } } }`,
  },
  'Mutation.createRole': {
    required: 'name: "$random", access: { permissions: [DEVICE_READ] }',
    document: (args) => `mutation { createRole${args} { permissions groups } }`,
  },
  'Mutation.createRegistrationCode': {
    document: (args) => `mutation { createRegistrationCode${args} { registrationCode { name platform uses } } }`,
  },
  'Mutation.createWebhook': {
    required: 'url: "$receiver", enabled: false',
    document: (args) => `mutation { createWebhook${args} { name events enabled } }`,
  },
  'Mutation.createView': {
    required: 'name: "$random"',
    document: (args) => `mutation { createView${args} { where context sortBy labels isShared } }`,
  },
  'Mutation.updateView': {
    required: 'id: "$view"',
    document: (args) => `mutation { updateView${args} { name where sortBy labels } }`,
  },
  'Mutation.redeliver': { required: 'webhookId: "$webhook"', document: (args) => `mutation { redeliver${args} }` },
  'Mutation.registerDevice': {
    required: 'name: "registered"',
    document: (args) =>
      `mutation { registerDevice${args} { device { hardwareId platform attributes services { name } } } }`,
  },
  'Mutation.reportState': {
    required: 'serviceId: "$device", state: "active"',
    document: (args) => `mutation { reportState${args} }`,
  },
  'Mutation.rotateWebhookSecret': {
    required: 'id: "$webhook"',
    document: (args) => `mutation { rotateWebhookSecret${args} { events } }`,
  },
  'Mutation.setAttribute': {
    required: 'serviceId: "$device", name: "site", value: "oslo"',
    document: (args) => `mutation { setAttribute${args} }`,
  },
  'Mutation.setAttributes': {
    required: 'serviceId: "$device", attributes: { site: "oslo" }',
    document: (args) => `mutation { setAttributes${args} }`,
  },
  'Mutation.updateAccessKey': {
    required: 'key: "$key"',
    document: (args) => `mutation { updateAccessKey${args} { name enabled expires permissions networks rateShare } }`,
  },
  'Mutation.rotateAccessKey': {
    required: 'key: "$newKey"',
    document: (args) => `mutation { rotateAccessKey${args} { accessKey { name } } }`,
  },
  'Mutation.setKeyPolicy': {
    document: (args) => `mutation { setKeyPolicy${args} { maxDays personalKeys requireDigest enforcedFrom } }`,
  },
  'Mutation.updateAccount': { document: (args) => `mutation { updateAccount${args} { email name } }` },
  'Mutation.updateRole': {
    required: 'id: "$role"',
    document: (args) => `mutation { updateRole${args} { name permissions groups } }`,
  },
  'Mutation.updateDevice': {
    required: 'deviceId: "$device"',
    document: (args) => `mutation { updateDevice${args} { name hardwareId platform } }`,
  },
  'Mutation.updateService': {
    required: 'id: "$service"',
    document: (args) => `mutation { updateService${args} { name application host port enabled } }`,
  },
  'Mutation.updateWebhook': {
    required: 'id: "$webhook"',
    document: (args) => `mutation { updateWebhook${args} { name events enabled url } }`,
  },
}

function bulk(call: string): string {
  return `mutation { ${call} { state rate maxFailures counts { total change } } }`
}

function ofDevice(selection: string): string {
  return `{ login { device(id: ["$device"]) { ${selection} } } }`
}
