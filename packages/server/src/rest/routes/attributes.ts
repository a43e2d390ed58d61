import { defineRoutes, type Route } from '../route.ts'

interface Holder {
  name: string
  title: string
  path: string
  /** The variable that identifies the object. */
  id: string
  select: (fields: string) => string
  at: string
}

const holders: readonly Holder[] = [
  {
    name: 'User',
    title: 'the account',
    path: '/user',
    id: '$self',
    select: (fields) => `login { ${fields} }`,
    at: 'login',
  },
  {
    name: 'Device',
    title: 'a device',
    path: '/devices/{id}',
    id: '$id',
    select: (fields) => `login { device(id: [$id]) { ${fields} } }`,
    at: 'login.device[0]',
  },
  {
    name: 'Service',
    title: 'a service',
    path: '/services/{id}',
    id: '$id',
    select: (fields) => `login { service(id: [$id]) { ${fields} } }`,
    at: 'login.service[0]',
  },
]

/** The path contains the context, if any, so that DELETE requests need no body. */
const places = [
  { path: '', suffix: '', noun: 'attribute', where: '', variable: '', argument: '' },
  {
    path: '/contexts/{context}',
    suffix: 'InContext',
    noun: 'override',
    where: ' in a context',
    variable: ', $context: String!',
    argument: ', context: $context',
  },
] as const

/** Declares the object's ID. Only changes use `$self`, and a query must not declare an unused variable. */
const queryVariablesOf = ({ id }: Holder): string => (id === '$self' ? '' : `${id}: String!,`)

function routesOf(holder: Holder, place: (typeof places)[number]): Route[] {
  const { name, select, id } = holder
  const changeVariables = `${id}: String!,`
  const queryVariables = queryVariablesOf(holder)
  const context = place.variable === '' ? '$context: String' : '$context: String!'
  const path = `${holder.path}${place.path}/attributes`
  const title = `${holder.title}${place.where}`
  return [
    {
      method: 'GET',
      path,
      summary: `Returns the attributes of ${title}.`,
      document: `query get${name}Attributes${place.suffix}(${queryVariables} ${context}) {
        ${select('attributes(context: $context)')}
      }`,
      at: `${holder.at}.attributes`,
    },
    {
      method: 'PATCH',
      path,
      summary: `Merges the body into the ${place.noun}s of ${title}, and returns the resulting attributes. null removes an ${place.noun} or a whole group of ${place.noun}s.`,
      document: `mutation set${name}Attributes${place.suffix}(${changeVariables} $attributes: Object!${place.variable}) {
        setAttributes(serviceId: ${id}, attributes: $attributes${place.argument})
      }`,
      at: 'setAttributes',
      body: 'attributes',
    },
    {
      method: 'GET',
      path: `${path}/{name}`,
      summary: `Returns the value of one attribute of ${title}. If the attribute has no value, the response is NOT_FOUND.`,
      document: `query get${name}Attribute${place.suffix}(${queryVariables} $name: String!, ${context}) {
        ${select('value: attribute(name: $name, context: $context)')}
      }`,
      at: holder.at,
      found: ['value', 'attribute'],
    },
    {
      method: 'PUT',
      path: `${path}/{name}`,
      summary: `Sets an ${place.noun} of ${title}, and returns the resulting value. If value is null, removes the ${place.noun} or, if name is a group, all ${place.noun}s in the group.`,
      document: `mutation set${name}Attribute${place.suffix}(
        ${changeVariables} $name: String!, $value: String${place.variable}
      ) {
        value: setAttribute(serviceId: ${id}, name: $name, value: $value${place.argument})
      }`,
      written: ['value'],
    },
    {
      method: 'DELETE',
      path: `${path}/{name}`,
      summary: `Removes an ${place.noun} of ${title} or, if name is a group, all ${place.noun}s in the group.`,
      document: `mutation remove${name}Attribute${place.suffix}(${changeVariables} $name: String!${place.variable}) {
        setAttribute(serviceId: ${id}, name: $name, value: null${place.argument})
      }`,
      status: 204,
    },
  ]
}

function otherRoutesOf(holder: Holder): Route[] {
  const { name, title, path, select, at } = holder
  const queryVariables = queryVariablesOf(holder)
  return [
    {
      method: 'GET',
      path: `${path}/contexts`,
      summary: `Lists the contexts in which ${title} has overrides.`,
      document: `query list${name}Contexts${queryVariables && `(${queryVariables})`} { ${select('items: contexts')} }`,
      at,
    },
    {
      method: 'GET',
      path: `${path}/contexts/{context}/overrides`,
      summary: `Returns the overrides of ${title} in a context.`,
      document: `query get${name}Overrides(${queryVariables} $context: String!) {
        ${select('overrides(context: $context)')}
      }`,
      at: `${at}.overrides`,
    },
    {
      method: 'GET',
      path: `${path}/history`,
      summary: `Lists changes to the attributes of ${title}, newest first, one page at a time.`,
      document: `query list${name}AttributeHistory(
        ${queryVariables} $name: String, $context: String, $minDate: DateTime, $maxDate: DateTime
        $size: Int = 100, $after: ID, $total: Boolean! = true
      ) {
        ${select(`attributeHistory(
          name: $name, context: $context, minDate: $minDate, maxDate: $maxDate, size: $size, after: $after
        ) { items { ...AttributeChange } total @include(if: $total) hasMore cursor }`)}
      }`,
      at: `${at}.attributeHistory`,
    },
    {
      method: 'GET',
      path: `${path}/attribute-info`,
      summary: `Returns the attribute values of ${title}, and when each value last changed. For attributes with an expected interval, also returns the time of the last recorded write.`,
      document: `query list${name}AttributeInfo(${queryVariables} $names: [String!], $context: String) {
        ${select('items: attributeInfo(names: $names, context: $context) { ...AttributeInfo }')}
      }`,
      at,
    },
  ]
}

export const attributeRoutes: readonly Route[] = [
  ...holders.flatMap((holder) => [...places.flatMap((place) => routesOf(holder, place)), ...otherRoutesOf(holder)]),
  ...defineRoutes({
    'GET /freshness': {
      summary:
        'Lists the attributes that have an expected interval. For each attribute, returns the interval in seconds and the number of devices whose base value of this attribute is stale.',
      document: 'query listFreshness { login { items: freshness { ...Freshness } } }',
      at: 'login',
    },
    'GET /history': {
      summary:
        'Returns the start of the attribute history, and the time by which all servers had begun to record when values change.',
      document: 'query getHistorySpan { login { history { ...HistorySpan } } }',
      at: 'login.history',
    },
    'PUT /freshness/{name}': {
      summary: 'Sets the interval, in seconds, at which clients are expected to write an attribute.',
      document: `mutation setExpectedInterval($name: String!, $seconds: Int!) {
        setExpectedInterval(name: $name, seconds: $seconds) { ...Freshness }
      }`,
      at: 'setExpectedInterval',
    },
    'DELETE /freshness/{name}': {
      summary: 'Removes the expected interval of an attribute.',
      document: `mutation removeExpectedInterval($name: String!) {
        setExpectedInterval(name: $name, seconds: null) { name }
      }`,
      status: 204,
    },
    'PATCH /attributes': {
      summary:
        'Sets the attributes in up to 1,000 items. Each item applies to a device, a service, or the account, and succeeds or fails separately. The response lists the result of each item.',
      document: `mutation setAttributesMany($items: [AttributesInput!]!) {
        items: setAttributesMany(items: $items) { ...AttributesResult }
      }`,
    },
  }),
]
