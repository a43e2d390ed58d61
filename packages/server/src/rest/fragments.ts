/** The device fields that can be null and that clients can set when they add or change a device. */
export const optionalDeviceFields: readonly string[] = ['hardwareId', 'platform']

/** The fields that the REST API returns for each type, keyed by the type's OpenAPI name. */
export const fragments: Readonly<Record<string, string>> = {
  User: 'fragment User on User { id email name created }',
  AccountReference: 'fragment AccountReference on AccountReference { id email name }',
  Person: 'fragment Person on Person { id email name }',
  Role: 'fragment Role on Role { id name builtIn permissions attributes { read write } where view { id name } context groups members }',
  Member: `fragment Member on Member {
    person { ...Person } role { ...Role } source created lastUsed accountKeys
  }`,
  Invitation: `fragment Invitation on Invitation {
    id email role { ...Role } created createdBy { kind id name user { ...UserReference } } expires emailStatus link
  }`,
  Me: `fragment Me on Me {
    accessKey { ...AccessKey } account { ...AccountReference } accounts { account { ...AccountReference } requiredSignIn role { ...Role } }
    grant { permissions attributes { read write } where view { id name } context } person { ...Person }
  }`,
  UserReference: 'fragment UserReference on UserReference { id email }',
  Device: `fragment Device on Device {${deviceFields('attributes')}}`,
  DeviceInContext: `fragment DeviceInContext on Device {${deviceFields('attributes(context: $context)')}}`,
  DeviceReference: 'fragment DeviceReference on Device { id name }',
  DeviceRegistration: 'fragment DeviceRegistration on DeviceRegistration { secret device { ...Device } }',
  Service: `fragment Service on Service {
    id name application title protocol host port enabled created state online lastReported
  }`,
  ServiceInContext: 'fragment ServiceInContext on Service { ...Service attributes(context: $context) }',
  ServiceOfDevice:
    'fragment ServiceOfDevice on Service { ...Service attributes(context: $context) device { ...DeviceReference } }',
  Event: `fragment Event on Event {
    id type timestamp owner { ...UserReference } actor { ...UserReference } source { kind id name user { ...UserReference } } job target { ...EventTarget } state data
  }`,
  EventTarget: 'fragment EventTarget on EventTarget { id name kind }',
  AccessKey: `fragment AccessKey on AccessKey {
    key name enabled readOnly requireDigest algorithm created lastUsed expires kind permissions attributes { read write } where view { id name } context networks rateShare
    suspended replacedBy
    createdBy { kind id name user { ...UserReference } }
  }`,
  KeyPolicyRules: `fragment KeyPolicyRules on KeyPolicy {
    maxDays personalKeys requireDigest requireNetworks enforcedFrom
  }`,
  KeyPolicy: 'fragment KeyPolicy on KeyPolicy { ...KeyPolicyRules violations { ...AccessKey } }',
  KeyUse: 'fragment KeyUse on KeyUse { field permission uses rejected lastUsed }',
  Simulation: `fragment Simulation on Simulation {
    allowed deviceReachable attributeReadable attributeWritable devices permissions { permission granted deniedBy } reasons warnings
  }`,
  Need: 'fragment Need on Need { field permission }',
  CreatedAccessKey: 'fragment CreatedAccessKey on CreatedAccessKey { key secret accessKey { ...AccessKey } }',
  RegistrationCode:
    'fragment RegistrationCode on RegistrationCode { id prefix name platform uses used created expires }',
  CreatedRegistrationCode: `fragment CreatedRegistrationCode on CreatedRegistrationCode {
    code registrationCode { ...RegistrationCode }
  }`,
  View: `fragment View on View {
    id name description kind where context sortBy columns { name label width } labels isShared created
    createdBy { kind id name user { ...UserReference } } updated version problems { ...FilterProblem }
  }`,
  Webhook: 'fragment Webhook on Webhook { id name url events enabled paused created where view { id name } context }',
  WebhookWithSecret: 'fragment WebhookWithSecret on Webhook { ...Webhook secret }',
  WebhookDelivery: `fragment WebhookDelivery on WebhookDelivery {
    id attempts status httpStatus duration error request response created nextAttempt event { ...Event }
  }`,
  AttributeChange: `fragment AttributeChange on AttributeChange {
    eventId event { ...Event } at name context old new target { ...EventTarget }
    source { kind id name user { ...UserReference } }
  }`,
  AttributeInfo:
    'fragment AttributeInfo on AttributeInfo { name value setIn base changed confirmed expectedInterval isStale }',
  HistorySpan: 'fragment HistorySpan on HistorySpan { earliest timesSince }',
  Freshness: 'fragment Freshness on Freshness { name seconds stale }',
  AttributesResult: 'fragment AttributesResult on AttributesResult { serviceId attributes code message }',
  AttributeName: 'fragment AttributeName on AttributeName { name devices services lastChanged }',
  ApplicationType: 'fragment ApplicationType on ApplicationType { id name description port protocol }',
  BulkJob: `fragment BulkJob on BulkJob {
    id name state stateReason target operations progress rate maxFailures token created previewed expires started finished isUndoable
    counts { total change unchanged rejected register pending done failed skipped }
    createdBy { kind id name user { ...UserReference } } startedBy { kind id name user { ...UserReference } }
    undoOf { id name } undoneBy { id name }
  }`,
  BulkItem: `fragment BulkItem on BulkItem {
    device { ...EventTarget } line outcome status changes reason code message eventIds
  }`,
  Facet: `fragment Facet on Facet {
    name buckets { value count active where } missing missingActive other otherActive distinct total
  }`,
  DeviceTotals: 'fragment DeviceTotals on DeviceTotals { total active inactive neverReported stale }',
  EventCount: 'fragment EventCount on EventCount { from until count }',
  PresencePoint: 'fragment PresencePoint on PresencePoint { at devices online minOnline }',
  Availability: `fragment Availability on Availability {
    from until share onlineSeconds outages longestOutage segments { from until state }
  }`,
  FilterProblem: 'fragment FilterProblem on FilterProblem { message line column length suggestion }',
  FilterCheck: `fragment FilterCheck on FilterCheck {
    canonical points problems { ...FilterProblem } warnings { ...FilterProblem }
    terms { from to name comparedAs isIndexed } completions { text label kind from to count }
  }`,
  Limit: 'fragment Limit on Limit { name value used }',
}

function deviceFields(attributes: string): string {
  return `
    id name ${optionalDeviceFields.join(' ')} created state online stateSince lastReported
    categoryA categoryB categoryC categoryD categoryE statusA statusB statusC statusD statusE
    ${attributes} services { ...Service } owner { ...UserReference }
  `
}

/** Adds the fragments that a document spreads directly or through other fragments. */
export function withFragments(document: string): string {
  const found = new Map<string, string>()
  const collect = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/\.\.\.(\w+)/g)) {
      const fragment = fragments[name]
      if (fragment === undefined) throw new Error(`fragments.ts does not contain the fragment ${name}`)
      if (found.has(name)) continue
      found.set(name, fragment)
      collect(fragment)
    }
  }
  collect(document)
  return [document, ...found.values()].join('\n')
}
