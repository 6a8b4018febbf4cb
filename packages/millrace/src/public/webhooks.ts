export {
  runEventTypes,
  type RunCompletedEvent,
  type RunCost,
  type RunEvent,
  type RunEventData,
  type RunEventError,
  type RunEventType,
  type RunFailedEvent,
  type RunUsage,
  type RunWaitingEvent,
  type WaitingCall,
} from '../webhooks/run-event.ts'
export { verifyWebhook, type ReceivedWebhook } from '../webhooks/verify-webhook.ts'
export {
  decodeWebhookSecret,
  signWebhook,
  type SignedContent,
} from '../webhooks/webhook-signature.ts'
