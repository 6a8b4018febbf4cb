export {
  runEventTypes,
  type RunEvent,
  type RunEventData,
  type RunEventType,
  type RunUsage,
  type WaitingCall,
} from './run-event.ts'
export { decodeWebhookSecret, signWebhook } from './webhook-signature.ts'
