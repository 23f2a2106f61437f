/** The topics of `postern help TOPIC`, apart from their texts. */
export const topicNames = ['flags', 'environment', 'exit-codes', 'output', 'automation', 'jar', 'keys'] as const
export type TopicName = (typeof topicNames)[number]
