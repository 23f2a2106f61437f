interface Difference {
  readonly why: string
  /** As the comparison prints it. */
  readonly shows: readonly string[]
}

const differ = (why: string, steps: Readonly<Record<string, string | readonly string[]>>) =>
  Object.fromEntries(
    Object.entries(steps).map(([label, shows]): [string, Difference] => [label, { why, shows: [shows].flat() }]),
  )

/** What it finds different besides with CLIENT_API=1.2, where refusals are told in the terms of 1.2. */
export const olderTerms: Readonly<Record<string, Difference>> = differ('`CLIENT_API=1.7` answers as 1.7 does.', {
  'signUp.email, a taken address': '422 USER_ALREADY_EXISTS instead of 422 USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
  'signUp.email, no address': '400 INVALID_EMAIL instead of 400 VALIDATION_ERROR',
  'signOut, signed out': '400 FAILED_TO_GET_SESSION instead of success',
  'revokeSession, one that ended': '400 SESSION_NOT_FOUND instead of success',
  'changeEmail, a taken address': '400 COULDNT_UPDATE_YOUR_EMAIL instead of success',
  'changeEmail, no address': '400 INVALID_EMAIL instead of 400 VALIDATION_ERROR',
  'organization.checkSlug, a taken slug': '400 SLUG_IS_TAKEN instead of 400 ORGANIZATION_SLUG_ALREADY_TAKEN',
  'organization.listMembers, signed out': '401 instead of 401 UNAUTHORIZED',
  'updateUser, signed out': '401 instead of 401 UNAUTHORIZED',
  'admin.createUser, a taken address': '400 USER_ALREADY_EXISTS instead of 400 USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
})

const refusedListings = ['sorted by role', 'sorted by updatedAt', 'sorted by banned', 'changed since']

const onlyPending =
  "Only pending invitations. All of them: `listInvitations` with `query: { status: 'all' }`, which the client's types do not know: `auth.$fetch('/organization/list-invitations', { query: { status: 'all' } })`."

/** What the newest client finds different, by step, whatever the settings. */
export const knownDifferences: Readonly<Record<string, Difference>> = {
  ...differ("Postern's code is more specific.", {
    'organization.inviteMember, an unknown role': '400 ROLE_NOT_FOUND instead of 400',
    updateSession: '400 VALIDATION_ERROR instead of 400',
    unlinkAccount: '400 ACCOUNT_NOT_FOUND instead of 400 FAILED_TO_UNLINK_LAST_ACCOUNT',
  }),
  ...differ('Metadata is always an object here; in better-auth some calls answer a string.', {
    'organization.list': 'data[].metadata is object instead of string',
    'organization.getOrganization': 'data.metadata is object instead of string',
    'organization.setActive': 'data.metadata is object instead of string',
    'organization.delete': 'data.metadata is object instead of string',
    'organization.getFullOrganization': 'data.metadata is object instead of string',
  }),
  ...differ('The answer is the same for every address, so that nobody learns which ones are verified.', {
    'sendVerificationEmail, a verified address': 'success instead of 400 EMAIL_ALREADY_VERIFIED',
  }),
  ...differ('A provider that Postern does not know is invalid input.', {
    'signIn.social, an unknown provider': '400 VALIDATION_ERROR instead of 404 PROVIDER_NOT_FOUND',
  }),
  ...differ(
    'Where no [fields of your own](#fields-of-your-own) are declared, members that the call does not have, such as `role`, are ignored.',
    { 'updateUser, a role': 'success instead of 400 FIELD_NOT_ALLOWED' },
  ),
  ...differ('An `image` is a whole address or a `data:` image. A path would belong to no host.', {
    'updateUser, a relative image': '400 VALIDATION_ERROR instead of success',
  }),
  ...differ(
    '[These columns](administration.md#search-in-large-user-lists) sort and filter, others are refused. `contains` and `starts_with` are for `email` and `name`, `ends_with` also for `id`, `in` and `not_in` for `id`, `email` and `role`.',
    Object.fromEntries(
      refusedListings.map((label) => [`admin.listUsers, ${label}`, '400 VALIDATION_ERROR instead of success']),
    ),
  ),
  ...differ('`admin.listUsers` finds by `not_in` whoever holds none of the roles, also where there is only one.', {
    'admin.listUsers, not these roles': ['data.users has 1 elements instead of 0'],
  }),
  ...differ(onlyPending, {
    'organization.listInvitations, after an answer': 'data has 0 elements instead of 1',
    'organization.getFullOrganization, after an answer': [
      'data.metadata is object instead of string',
      'data.invitations has 0 elements instead of 1',
    ],
  }),
  ...differ('The built-in roles are listed, too. They come first.', {
    'organization.listRoles': [
      'data has 4 elements instead of 1',
      'data[].permission.team has 3 elements instead of 1',
    ],
  }),
}
