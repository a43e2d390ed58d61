import { defineRoutes } from '../route.ts'

export const memberRoutes = defineRoutes({
  'GET /me': {
    summary: 'Returns the caller and its permissions.',
    document: 'query getMe { me { ...Me } }',
    at: 'me',
  },
  'GET /accounts/{id}': {
    summary:
      'Returns the account of the access key that signed the request. For the ID of any other account, the response is NOT_FOUND.',
    document: 'query getAccount($id: ID!) { login { account(id: $id) { ...User } } }',
    at: 'login.account',
  },
  'PATCH /user': {
    summary:
      'Changes the email address, name, and sign-in policy of the account. Omitted fields stay unchanged. null clears name. An access key can set only the sign-in policy ANY.',
    document: `mutation updateAccount($email: String, $name: String, $signInPolicy: SignInPolicy) {
      updateAccount(email: $email, name: $name, signInPolicy: $signInPolicy) { ...User }
    }`,
    at: 'updateAccount',
  },
  'GET /sign-in-policy': {
    summary: 'Returns how members must sign in to work in the account.',
    document: 'query getSignInPolicy { login { signInPolicy } }',
    at: 'login',
  },
  'GET /members': {
    summary: 'Lists members, sorted by email address.',
    document: 'query listMembers { login { items: members { ...Member } } }',
    at: 'login',
  },
  'PATCH /members/{personId}': {
    summary: 'Changes the role of a member.',
    document: `mutation setMemberRole($personId: ID!, $roleId: ID!) {
      setMemberRole(personId: $personId, roleId: $roleId) { ...Member }
    }`,
    at: 'setMemberRole',
  },
  'DELETE /members/{personId}': {
    summary:
      "Removes a member from the account, and deletes the member's personal keys in the account. If disableKeys is true, also disables the account keys that the member created.",
    document: `mutation removeMember($personId: ID!, $disableKeys: Boolean! = false) {
      removeMember(personId: $personId, disableKeys: $disableKeys)
    }`,
    status: 204,
  },
  'POST /members/leave': {
    summary:
      'Removes the signed-in person from the account. This requires a session, which the REST API does not accept, so even a valid request receives FORBIDDEN.',
    document: 'mutation leaveAccount { leaveAccount }',
    status: 204,
  },
  'GET /roles': {
    summary: 'Lists roles: first the built-in roles, then the custom roles, sorted by name.',
    document: 'query listRoles { login { items: roles { ...Role } } }',
    at: 'login',
  },
  'POST /roles': {
    summary: 'Creates a custom role.',
    document: `mutation createRole($name: String!, $access: AccessInput!, $groups: [String!]) {
      createRole(name: $name, access: $access, groups: $groups) { ...Role }
    }`,
    at: 'createRole',
    location: '/roles/{id}',
  },
  'GET /roles/{id}': {
    summary: 'Returns a role.',
    document: 'query getRole { login { roles { ...Role } } }',
    at: 'login.roles[id]',
  },
  'PATCH /roles/{id}': {
    summary: 'Changes a role. Omitted fields stay unchanged. In a built-in role, you can change only the groups.',
    document: `mutation updateRole($id: ID!, $name: String, $access: AccessInput, $groups: [String!]) {
      updateRole(id: $id, name: $name, access: $access, groups: $groups) { ...Role }
    }`,
    at: 'updateRole',
  },
  'DELETE /roles/{id}': {
    summary: 'Deletes a custom role. While a member or an open invitation has the role, the response is CONFLICT.',
    document: 'mutation deleteRole($id: ID!) { deleteRole(id: $id) }',
    status: 204,
  },
  'GET /invitations': {
    summary: 'Lists open invitations and invitations that expired in the last seven days, newest first, at most 200.',
    document: 'query listInvitations { login { items: invitations { ...Invitation } } }',
    at: 'login',
  },
  'POST /invitations': {
    summary: 'Creates an invitation. Only this response contains the link.',
    document: `mutation createInvitation($roleId: ID!, $email: String, $expires: DateTime) {
      createInvitation(roleId: $roleId, email: $email, expires: $expires) { ...Invitation }
    }`,
    at: 'createInvitation',
    location: '/invitations/{id}',
  },
  'GET /invitations/{id}': {
    summary: 'Returns an invitation.',
    document: 'query getInvitation { login { invitations { ...Invitation } } }',
    at: 'login.invitations[id]',
  },
  'POST /invitations/{id}/resend': {
    summary:
      'Creates a new link for an invitation. The new link has the same lifetime as the previous link, counted from now. The previous link becomes invalid. If the invitation has an email address and the server can send email, the server also emails the new link, up to 200 links per hour for an account.',
    document: 'mutation resendInvitation($id: ID!) { resendInvitation(id: $id) { ...Invitation } }',
    at: 'resendInvitation',
  },
  'DELETE /invitations/{id}': {
    summary: 'Deletes an invitation.',
    document: 'mutation deleteInvitation($id: ID!) { deleteInvitation(id: $id) }',
    status: 204,
  },
  'POST /invitations/accept': {
    summary:
      'Makes the signed-in person a member of the account that the invitation is for. This requires a session, which the REST API does not accept, so even a valid request receives FORBIDDEN.',
    document: 'mutation acceptInvitation($token: String!) { acceptInvitation(token: $token) { ...AccountReference } }',
    at: 'acceptInvitation',
  },
})
