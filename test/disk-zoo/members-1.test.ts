import { testMembers } from "./test-members.ts";

testMembers(0, 2);
