/** The fields that only keys in the terms of another client have. */
export const clientKeyTexts = {
  apiKeys: ['The keys, newest first'],
  configId: ['Always `default`', 'default'],
  enabled: ['Whether the key is accepted; one that is not is deleted', true],
  lastRefillAt: ['Always null: keys have no count of uses'],
  lastRequest: ['When the key was used last; null before the first use', '2026-03-01T09:30:00.000Z'],
  prefix: ['How every key begins', 'pst_'],
  rateLimitEnabled: ['Whether the key has a rate limit of its own: it has none'],
  rateLimitMax: ['Always null: rate limits are those of the service'],
  rateLimitTimeWindow: ['Always null: rate limits are those of the service'],
  referenceId: ['The id of the person, or of the organization, whose key it is'],
  refillAmount: ['Always null: keys have no count of uses'],
  refillInterval: ['Always null: keys have no count of uses'],
  remaining: ['Always null: keys have no count of uses'],
  requestCount: ['Always 0: uses are not counted'],
  start: ['How every key begins', 'pst_'],
} as const satisfies Readonly<Record<string, readonly [description: string, example?: unknown]>>
