// Every way in which a reload finds another config, by its kind of fault.
import type { EditKind } from '../faults/kinds.ts';
import {
  changeCap,
  changeRecipients,
  changeSelf,
  removeChannel,
  renameChannel,
  renameChannelBack,
  replaceChannel,
  returnChannel,
  tightenCap,
  type Edit,
} from './channel-edits.ts';
import { CHANNELS } from './first-version.ts';
import {
  addRoute,
  changeGroups,
  changeMutes,
  changeSeverity,
  changeInhibition,
  editEscalation,
  editRule,
  muteNow,
  turnRule,
  reorderRoutes,
  turnRuleBack,
} from './route-edits.ts';

export const EDITS: Readonly<Record<EditKind, Edit>> = {
  'channel-renamed': renameChannel,
  'channel-renamed-back': renameChannelBack,
  'channel-replaced': replaceChannel,
  'channel-removed': removeChannel,
  'channel-returned': returnChannel(CHANNELS),
  'recipients-changed': changeRecipients,
  'route-added': addRoute,
  'routes-reordered': reorderRoutes,
  'severity-raised': changeSeverity(1),
  'severity-lowered': changeSeverity(-1),
  'escalation-edited': editEscalation,
  'mutes-changed': changeMutes,
  'groups-changed': changeGroups,
  'cap-changed': changeCap,
  'rule-edited': editRule,
  'muted-now': muteNow,
  'cap-tightened': tightenCap,
  'inhibition-changed': changeInhibition,
  'self-changed': changeSelf,
  'rule-turned': turnRule,
  'rule-turned-back': turnRuleBack,
};
