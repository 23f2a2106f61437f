/** The words of the command that asks the service the same, by path. */
export const organizationCommands: Readonly<
  Record<string, (body: Readonly<Record<string, string>>) => readonly string[]>
> = {
  '/organization/create': ({ name = 'NAME', slug }) => ['org', 'create', name, ...flag('slug', slug)],
  '/organization/check-slug': ({ slug = 'SLUG' }) => ['org', 'slug', 'check', slug],
  '/organization/update': ({ organizationId = 'ORG' }) => ['org', 'edit', organizationId],
  '/organization/delete': ({ organizationId = 'ORG' }) => ['org', 'delete', organizationId, '--confirm', 'SLUG'],
  '/organization/leave': ({ organizationId = 'ORG' }) => ['org', 'leave', organizationId],
  '/organization/list': () => ['org', 'list'],
  '/organization/get-full-organization': () => ['org', 'view', 'ORG'],
  '/organization/set-active': ({ organizationId }) => [
    'org',
    'use',
    // No organization travels as null, and is shown as that word.
    organizationId === 'null' ? '-' : (organizationId ?? 'ORG'),
  ],
  '/organization/list-roles': () => ['role', 'list'],
  '/organization/remove-member': ({ memberIdOrEmail = 'USER', organizationId }) => [
    'member',
    'remove',
    memberIdOrEmail,
    ...flag('org', organizationId),
  ],
  '/organization/update-member-role': ({ memberId = 'USER', role = 'ROLE', organizationId }) => [
    'member',
    'role',
    'set',
    memberId,
    ...role.split(','),
    ...flag('org', organizationId),
  ],
  '/organization/invite-member': ({ email = 'EMAIL', role, organizationId, resend, teamId }) => [
    'invitation',
    resend === 'true' ? 'resend' : 'create',
    email,
    ...(resend === 'true' ? [] : [...flag('role', role), ...flag('team', teamId)]),
    ...flag('org', organizationId),
  ],
  '/organization/accept-invitation': ({ invitationId = 'ID' }) => ['invitation', 'accept', invitationId],
  '/organization/reject-invitation': ({ invitationId = 'ID' }) => ['invitation', 'reject', invitationId],
  '/organization/cancel-invitation': ({ invitationId = 'ID' }) => ['invitation', 'cancel', invitationId],
  '/organization/list-user-invitations': () => ['invitation', 'list', '--mine'],
  '/organization/create-team': ({ name = 'NAME', organizationId }) => [
    'team',
    'create',
    name,
    ...flag('org', organizationId),
  ],
  '/organization/update-team': ({ teamId = 'TEAM' }) => ['team', 'edit', teamId, '--name', 'NAME'],
  '/organization/remove-team': ({ teamId = 'TEAM', organizationId }) => [
    'team',
    'delete',
    teamId,
    ...flag('org', organizationId),
  ],
  '/organization/add-team-member': ({ userId = 'USER', teamId }) => [
    'team',
    'member',
    'add',
    userId,
    ...flag('team', teamId),
  ],
  '/organization/remove-team-member': ({ userId = 'USER', teamId }) => [
    'team',
    'member',
    'remove',
    userId,
    ...flag('team', teamId),
  ],
}

export const flag = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}`, value]
