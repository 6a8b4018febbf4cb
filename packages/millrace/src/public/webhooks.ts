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
export {
  decodeWebhookSecret,
  type ReceivedWebhook,
  type SignedContent,
  signWebhook,
  verifyWebhook,
} from '../webhooks/webhook-signature.ts'
