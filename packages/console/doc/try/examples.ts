interface Example {
  query: string
  variables?: string
}

export const examples = (device = '80:00:…'): Example[] => [
  {
    query: `# Lists the first page of your devices. For the next page, pass the value of "last" to the argument "after".
# Press Ctrl-Enter or the triangle button to send the request.
query FirstPage {
  login {
    devices(size: 20, sort: "name asc") {
      total
      hasMore
      last
      items {
        id
        name
        state
        attributes
      }
    }
  }
}
`,
  },
  {
    query: `# Sets an attribute and returns its value. The value null removes the attribute.
mutation SetAttribute($device: String!, $value: String) {
  setAttribute(serviceId: $device, name: "net.site", value: $value)
}
`,
    variables: JSON.stringify({ device, value: 'oslo' }, null, 2),
  },
  {
    query: `# Reads attributes in a context. Values in the context override the base values.
query InContext($device: String!, $context: String) {
  login {
    device(id: [$device]) {
      name
      contexts
      base: attributes
      inContext: attributes(context: $context)
    }
  }
}
`,
    variables: JSON.stringify({ device, context: 'night' }, null, 2),
  },
  {
    query: `# Receives events as they happen, until you stop the subscription. To see an event, change a device.
subscription Events($types: [EventType!]) {
  events(types: $types) {
    id
    timestamp
    type
    state
    target {
      kind
      id
      name
    }
    data
  }
}
`,
    variables: '{ "types": null }',
  },
  {
    query: `# Reads the version and part of the schema. You can send this query without signing in.
query Schema {
  version
  __schema {
    queryType {
      fields {
        name
        description
      }
    }
  }
}
`,
  },
]
