export { CallCard } from './call-card.tsx'
export { isInBatch } from './is-in-batch.ts'
export { hasUnansweredQuestion } from './unanswered.ts'
