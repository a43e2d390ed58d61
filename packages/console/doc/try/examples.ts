interface Example {
  query: string
  variables?: string
}

/** The requests that the editor begins with. `device` is one of the person's own, for those that change or read one. */
export const examples = (device = '80:00:…'): Example[] => [
  {
    query: `# The first page of your devices. For the next one, say: after: "the value of last".
# The button with the triangle sends it, or Ctrl-Enter.
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
    query: `# Sets one attribute and answers with its value. With null as value, it is removed.
mutation SetAttribute($device: String!, $value: String) {
  setAttribute(serviceId: $device, name: "net.site", value: $value)
}
`,
    variables: JSON.stringify({ device, value: 'oslo' }, null, 2),
  },
  {
    query: `# Attributes as they are in a context: its own values laid over the base values.
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
    query: `# Events as they happen. It goes on until you stop it; change something meanwhile.
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
    query: `# Needs nobody to be signed in.
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
