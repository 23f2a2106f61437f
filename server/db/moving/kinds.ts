import type { RecordType } from '../../../shared/moving/records.ts'
import {
  idTaken,
  isMemberKept,
  isOrganizationKept,
  isOrganizationThere,
  isOwnerUntouched,
  isTeamKept,
  isUntouched,
  type Kind,
  organizationIsThere,
  otherMoment,
  sameMoment,
  userIsThere,
} from './kind.ts'
import { leftovers } from './leftovers.ts'

export type { Kind }

/** A source may keep the name of a team that it deleted. */
const teamsThatAreThere = {
  team_ids: `array(
    select named.id from unnest($.team_ids) with ordinality as named (id, place)
    join teams m on m.id = named.id and m.organization_id = $.organization_id
    order by named.place
  )`,
}
/** With the address that the record says was proved, if it does. */
const verifiedUser =
  'from users u where u.id = $.user_id and u.email_verified and u.email = coalesce($.proven_email, u.email)'

export const kinds: Readonly<Record<RecordType, Kind>> = {
  user: {
    table: 'users',
    columns: {
      id: ['id', 'text'],
      email: ['email', 'text'],
      name: ['name', 'text'],
      emailVerified: ['email_verified', 'boolean'],
      image: ['image', 'text'],
      language: ['language', 'text'],
      role: ['roles', 'text[]'],
      banned: ['banned', 'boolean'],
      banReason: ['ban_reason', 'text'],
      banExpires: ['ban_expires', 'timestamptz'],
      organizationId: ['organization_id', 'text'],
      sponsorId: ['sponsor_id', 'text'],
      fields: ['fields', 'jsonb'],
      createdAt: ['created_at', 'timestamptz'],
      updatedAt: ['updated_at', 'timestamptz'],
    },
    needs: [
      isUntouched,
      [
        'ORGANIZATION_UNKNOWN',
        '($.organization_id is null or exists (select from organizations o where o.id = $.organization_id))',
      ],
    ],
    meets: [
      ['PRESENT', `t.id = $.id and (t.email = $.email or ${sameMoment})`],
      idTaken,
      ['EMAIL_TAKEN', 't.email = $.email'],
    ],
    stranger: `t.email <> $.email and ${otherMoment}`,
    kept: ['organization_id'],
    replaceable: isUntouched[1],
    heldBy: { table: 'users', column: 'id' },
  },
  account: {
    table: 'accounts',
    columns: {
      id: ['id', 'text'],
      userId: ['user_id', 'text'],
      providerId: ['provider_id', 'text'],
      accountId: ['account_id', 'text'],
      password: ['password', 'text'],
      accessToken: ['access_token', 'bytea'],
      refreshToken: ['refresh_token', 'bytea'],
      idToken: ['id_token', 'bytea'],
      accessTokenExpiresAt: ['access_token_expires_at', 'timestamptz'],
      refreshTokenExpiresAt: ['refresh_token_expires_at', 'timestamptz'],
      scope: ['scope', 'text'],
      callbackFields: ['callback_fields', 'jsonb'],
      mailboxProof: ['mailbox_proof', 'text'],
      mailboxProvenAt: ['mailbox_proven_at', 'timestamptz'],
      provenEmail: ['proven_email', 'text'],
      createdAt: ['created_at', 'timestamptz'],
      updatedAt: ['updated_at', 'timestamptz'],
    },
    needs: [
      userIsThere,
      isOwnerUntouched,
      ['USER_IS_MACHINE', 'not exists (select from users u where u.id = $.user_id and u.organization_id is not null)'],
    ],
    meets: [
      [
        'PRESENT',
        't.id = $.id and t.user_id = $.user_id and t.provider_id = $.provider_id and t.account_id = $.account_id',
      ],
      ['PASSWORD_EXISTS', "t.provider_id = 'credential' and $.provider_id = 'credential' and t.user_id = $.user_id"],
      ['IDENTITY_EXISTS', 't.provider_id = $.provider_id and t.account_id = $.account_id and t.user_id = $.user_id'],
      // Before its id, which is made of it where the source has none.
      ['IDENTITY_TAKEN', 't.provider_id = $.provider_id and t.account_id = $.account_id'],
      idTaken,
    ],
    kept: ['user_id', 'provider_id', 'account_id'],
    // Tokens that the provider gave us since are the only ones that it takes.
    replaceable: `${isOwnerUntouched[1]} and t.tokens_version = 0 and (
      not 'updated_at' = any($.given) or t.updated_at <= $.updated_at::timestamptz(3)
    )`,
    heldBy: { table: 'users', column: 'user_id' },
    derived: {
      columns: {
        mailbox_proof: `(select 'earlier' ${verifiedUser})`,
        mailbox_proven_at: `(select now() ${verifiedUser})`,
        proven_email: `(select u.email ${verifiedUser})`,
      },
      // A proof from here stays, and what says nothing of the way in itself proves nothing.
      isChanged: `case
        when not $.derives then 'mailbox_proof' = any($.given)
        when t.mailbox_proof is null or t.mailbox_proof = 'earlier' then
          num_nonnulls($.password, $.access_token, $.refresh_token, $.id_token, $.proven_email) > 0
        else false end`,
    },
  },
  organization: {
    table: 'organizations',
    columns: {
      id: ['id', 'text'],
      name: ['name', 'text'],
      slug: ['slug', 'text'],
      logo: ['logo', 'text'],
      metadata: ['metadata', 'json'],
      fields: ['fields', 'jsonb'],
      ownRoles: ['own_roles', 'jsonb'],
      createdAt: ['created_at', 'timestamptz'],
    },
    needs: [isOrganizationThere],
    meets: [
      ['PRESENT', `t.id = $.id and (t.slug = $.slug or ${sameMoment})`],
      idTaken,
      ['SLUG_TAKEN', 't.slug = $.slug'],
    ],
    stranger: `t.slug <> $.slug and ${otherMoment}`,
    replaceable: isOrganizationKept,
    heldBy: { table: 'organizations', column: 'id' },
  },
  team: {
    table: 'teams',
    columns: {
      id: ['id', 'text'],
      organizationId: ['organization_id', 'text'],
      name: ['name', 'text'],
      createdAt: ['created_at', 'timestamptz'],
      updatedAt: ['updated_at', 'timestamptz'],
    },
    needs: [organizationIsThere, isTeamKept],
    meets: [['PRESENT', 't.id = $.id and t.organization_id = $.organization_id'], idTaken],
    stranger: 't.organization_id <> $.organization_id',
    kept: ['organization_id'],
    replaceable: isTeamKept[1],
    heldBy: { table: 'organizations', column: 'organization_id' },
  },
  member: {
    table: 'members',
    columns: {
      id: ['id', 'text'],
      organizationId: ['organization_id', 'text'],
      userId: ['user_id', 'text'],
      role: ['roles', 'text[]'],
      teamIds: ['team_ids', 'text[]'],
      createdAt: ['created_at', 'timestamptz'],
    },
    needs: [organizationIsThere, userIsThere, isMemberKept],
    meets: [
      ['PRESENT', 't.id = $.id and t.organization_id = $.organization_id and t.user_id = $.user_id'],
      idTaken,
      ['MEMBER_EXISTS', 't.organization_id = $.organization_id and t.user_id = $.user_id'],
    ],
    kept: ['organization_id', 'user_id'],
    replaceable: isMemberKept[1],
    reduced: teamsThatAreThere,
    heldBy: { table: 'organizations', column: 'organization_id' },
  },
  invitation: {
    table: 'invitations',
    columns: {
      id: ['id', 'text'],
      organizationId: ['organization_id', 'text'],
      email: ['email', 'text'],
      role: ['roles', 'text[]'],
      status: ['status', 'text'],
      teamIds: ['team_ids', 'text[]'],
      inviterId: ['inviter_id', 'text'],
      expiresAt: ['expires_at', 'timestamptz'],
      createdAt: ['created_at', 'timestamptz'],
    },
    needs: [organizationIsThere, ['USER_UNKNOWN', 'exists (select from users u where u.id = $.inviter_id)']],
    meets: [
      ['PRESENT', 't.id = $.id and t.organization_id = $.organization_id'],
      idTaken,
      [
        'INVITATION_EXISTS',
        "t.status = 'pending' and $.status = 'pending' and t.organization_id = $.organization_id and t.email = $.email",
      ],
    ],
    ends: {
      set: "status = 'canceled'",
      where: `t.organization_id = $.organization_id and t.email = $.email and t.status = 'pending'
        and t.expires_at <= now() and $.status = 'pending' and $.expires_at > now() and t.id <> $.id`,
    },
    kept: ['organization_id'],
    // The answer to it is the last word.
    replaceable: "t.status = 'pending'",
    reduced: teamsThatAreThere,
  },
  session: {
    table: 'sessions',
    columns: {
      id: ['id', 'text'],
      userId: ['user_id', 'text'],
      tokenHash: ['token_hash', 'bytea'],
      remembered: ['remembered', 'boolean'],
      expiresAt: ['expires_at', 'timestamptz'],
      authenticatedAt: ['authenticated_at', 'timestamptz'],
      ipAddress: ['ip_address', 'text'],
      userAgent: ['user_agent', 'text'],
      label: ['label', 'text'],
      activeOrganizationId: ['active_organization_id', 'text'],
      activeTeamId: ['active_team_id', 'text'],
      accountId: ['account_id', 'text'],
      provenEmail: ['proven_email', 'text'],
      imported: ['imported', 'boolean'],
      createdAt: ['created_at', 'timestamptz'],
      updatedAt: ['updated_at', 'timestamptz'],
    },
    needs: [
      userIsThere,
      isOwnerUntouched,
      ['SESSION_ENDED', 'not exists (select from ended_imports e where e.token_hash = $.token_hash)'],
    ],
    meets: [
      ['PRESENT', 't.id = $.id and t.user_id = $.user_id and t.token_hash = $.token_hash'],
      idTaken,
      ['TOKEN_TAKEN', 't.token_hash = $.token_hash'],
    ],
    exported: 't.impersonated_by is null and t.trust_id is null and t.expires_at > now()',
    kept: ['user_id', 'token_hash'],
    // With a cookie of ours, its end is that of the cookie.
    replaceable: 't.secret_label is null',
    reduced: {
      active_organization_id:
        '(select m.organization_id from members m where m.organization_id = $.active_organization_id and m.user_id = $.user_id)',
      active_team_id:
        '(select m.team_id from team_members m where m.team_id = $.active_team_id and m.user_id = $.user_id)',
    },
    heldBy: { table: 'users', column: 'user_id' },
  },
  ...leftovers,
}
