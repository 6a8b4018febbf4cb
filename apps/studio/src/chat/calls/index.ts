export { CallCard } from './call-card.tsx'
export { isOneOfMany } from './is-in-batch.ts'
export { hasAskedInVain } from './unanswered.ts'
