export { runEventTypes } from './run-event.ts'
export type {
  RunCompletedEvent,
  RunCost,
  RunEvent,
  RunEventData,
  RunEventError,
  RunEventType,
  RunFailedEvent,
  RunUsage,
  RunWaitingEvent,
  WaitingCall,
} from './run-event.ts'
export { verifyWebhook } from './verify-webhook.ts'
export type { ReceivedWebhook } from './verify-webhook.ts'
export { decodeWebhookSecret, signWebhook } from './webhook-signature.ts'
export type { SignedContent } from './webhook-signature.ts'
