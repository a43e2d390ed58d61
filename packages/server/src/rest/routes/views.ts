import { defineRoutes } from '../route.ts'

export const viewRoutes = defineRoutes({
  'GET /views': {
    summary: 'Lists saved views, sorted by name.',
    document: `query listViews($kind: FilterKind, $label: String) {
      login { items: views(kind: $kind, label: $label) { ...View } }
    }`,
    at: 'login',
  },
  'POST /views': {
    summary: 'Saves a view.',
    document: `mutation createView(
      $name: String!, $kind: FilterKind! = DEVICES, $where: String, $context: String, $sortBy: [String!]
      $columns: [ViewColumnInput!], $description: String, $labels: [String!], $isShared: Boolean! = true
    ) {
      createView(
        name: $name, kind: $kind, where: $where, context: $context, sortBy: $sortBy, columns: $columns
        description: $description, labels: $labels, isShared: $isShared
      ) { ...View }
    }`,
    at: 'createView',
    location: '/views/{id}',
  },
  'GET /views/{id}': {
    summary: 'Returns a view.',
    document: 'query getView($id: ID!) { login { views(id: [$id]) { ...View } } }',
    at: 'login.views[0]',
  },
  'GET /views/{id}/users': {
    summary: 'Lists the webhooks, access keys, and roles that use a view.',
    document: 'query listViewUsers($id: ID!) { login { views(id: [$id]) { items: usedBy { id name kind } } } }',
    at: 'login.views[0]',
  },
  'PATCH /views/{id}': {
    summary:
      'Changes a view. Omitted fields stay unchanged. null clears context, description, or where. If version is set and the view has changed since that version, the response is CONFLICT.',
    document: `mutation updateView(
      $id: ID!, $version: Int, $name: String, $where: String, $context: String, $sortBy: [String!]
      $columns: [ViewColumnInput!], $description: String, $labels: [String!], $isShared: Boolean
    ) {
      updateView(
        id: $id, version: $version, name: $name, where: $where, context: $context, sortBy: $sortBy, columns: $columns
        description: $description, labels: $labels, isShared: $isShared
      ) { ...View }
    }`,
    at: 'updateView',
  },
  'DELETE /views/{id}': {
    summary:
      'Deletes a view. If webhooks, access keys, or roles use the view, the response is CONFLICT. To replace the view in these objects before it is deleted, set replaceBy to the ID of another view of the same kind.',
    document: 'mutation deleteView($id: ID!, $replaceBy: ID) { deleteView(id: $id, replaceBy: $replaceBy) }',
    status: 204,
  },
})
