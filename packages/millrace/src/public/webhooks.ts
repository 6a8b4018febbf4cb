export {
  decodeWebhookSecret,
  runEventTypes,
  signWebhook,
  verifyWebhook,
} from '../webhooks/index.ts'
export type {
  ReceivedWebhook,
  RunCompletedEvent,
  RunCost,
  RunEvent,
  RunEventData,
  RunEventError,
  RunEventType,
  RunFailedEvent,
  RunUsage,
  RunWaitingEvent,
  SignedContent,
  WaitingCall,
} from '../webhooks/index.ts'
