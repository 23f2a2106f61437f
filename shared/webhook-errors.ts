/** The part of the error catalogue about webhooks. */
export const webhookErrors = {
  WEBHOOK_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Webhook not found' },
  WEBHOOK_URL_INVALID: {
    status: 400,
    kind: 'rejected',
    code: 'WEBHOOK_URL_INVALID',
    message:
      'The address of a webhook begins with https:// and contains no user name, password or fragment. http:// is only for hosts of WEBHOOK_PRIVATE_NETWORKS',
  },
  WEBHOOK_URL_PRIVATE: {
    status: 400,
    kind: 'rejected',
    code: 'WEBHOOK_URL_PRIVATE',
    message: 'The address of a webhook is on a private network, which WEBHOOK_PRIVATE_NETWORKS does not name',
  },
  EVENT_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Event not found' },
  WEBHOOK_CREATE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to create webhooks here' },
  WEBHOOK_LIST_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to see these webhooks' },
  WEBHOOK_UPDATE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to update this webhook' },
  WEBHOOK_DELETE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to delete this webhook' },
  WEBHOOK_LIMIT_REACHED: { status: 403, kind: 'conflict', message: 'Webhook limit reached' },
} as const
